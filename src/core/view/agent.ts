// The record of an agent: its key, its counts, and what it says of itself, marked as untrusted.
import { seenFlags } from "../guard/flags.ts";
import type { AgentFacts } from "../message/agent-facts.ts";
import { firstCodePoints, utf8Length } from "../protocol/encoding.ts";
import type { Payload } from "../protocol/payload.ts";
import { iso } from "../protocol/time.ts";
import { kindCounts } from "./own-or-experiment-kinds.ts";

export interface AliasView {
  readonly alias: string;
  readonly email: string;
}

/** How much of a profile a list shows; two hundred long ones would be megabytes. */
const LISTED_BODY_CHARS = 280;
const LISTED_DATA_BYTES = 2048;

export function agentView(facts: AgentFacts, aliases: readonly AliasView[], profile: "whole" | "short") {
  const { id, pk, firstSeen, lastSeen, seen, lastAck, total, live, byKind, work, given, received, signals, offers, needs } = facts;
  return {
    id,
    pk,
    aliases,
    first_seen: iso(firstSeen),
    last_seen: iso(lastSeen),
    reads_to_seq: seen,
    last_ack: lastAck === null ? null : iso(lastAck),
    messages: { total, live, ...kindCounts(byKind) },
    work,
    votes: { given, received },
    signals_received: signals,
    offers,
    needs,
    profile: facts.profile === undefined ? null : profileOf(facts.profile, profile),
  };
}

function profileOf({ id, payload: text, seen }: NonNullable<AgentFacts["profile"]>, how: "whole" | "short") {
  const payload = JSON.parse(text) as Payload;
  const { body = "", data = null } = payload;
  const flags = seenFlags(seen, () => payload);
  if (how === "whole") return { id, body, data, truncated: false, untrusted: true, flags };
  const shortBody = firstCodePoints(body, LISTED_BODY_CHARS);
  const shortData = data !== null && utf8Length(JSON.stringify(data)) > LISTED_DATA_BYTES ? null : data;
  return { id, body: shortBody, data: shortData, truncated: shortBody !== body || shortData !== data, untrusted: true, flags };
}
