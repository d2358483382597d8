// Reads entries of the log as events of the stream: the messages before and after, and the acknowledgements.
import type { Entry } from "../../core/log/chain.ts";
import type { Trace } from "../../core/message/trace.ts";
import { type Outline, wholeOf } from "../../core/view/outline.ts";
import type { Status } from "../../core/protocol/vocabulary.ts";
import type { Subject } from "../../core/query/predicate.ts";
import { subjectOf, subjectOfTrace, subjectsAfter, subjectsBefore } from "../../core/query/condition-subject.ts";
import { documentOf } from "../../core/search/document.ts";
import { searched } from "../../core/search/query.ts";
import { betweenSlices } from "../../ports/cpu-slices.ts";
import { BEFORE_ANY_EXPIRY, type StoredMessage, type Found, type MessageReads, storedOf } from "../../ports/store.ts";
import { acknowledged, acksIn, NamedMessages } from "./ack-event.ts";
import { liveEvent, type LiveEvent, type LogEvent, type LogEventParts, stands } from "./log-event.ts";
import { NO_VOTES, type VotersOf } from "./voters.ts";

const REASONS = { expire: "expired", retract: "retracted", remove: "removed", supersede: "superseded" } as const;
const REPORTED = new Set<string>(["create", "status", "ack", ...Object.keys(REASONS)]);

/** Reads the messages of entries, in slices; entries that make no event are left out. */
export async function logEvents(
  entries: readonly Entry[],
  parts: LogEventParts,
  now: number,
  withVotes: boolean,
): Promise<readonly LogEvent[]> {
  const { store } = parts;
  const reported = entries.filter(({ type }) => REPORTED.has(type));
  if (reported.length === 0) return [];
  const others = betweenSlices();
  const acks = await acksIn(reported, store, others);
  const named = new NamedMessages(parts, withVotes, others);
  const ids = new Set(reported.flatMap(({ type, id }) => (type === "ack" ? [] : [id])));
  const found = await store.findAll([...ids], BEFORE_ANY_EXPIRY);
  const votersOf = withVotes ? await parts.voters.of(storedOf(found.values()).map(({ state }) => state)) : NO_VOTES;
  const events: LogEvent[] = [];
  for (const entry of reported) {
    await others();
    const ack = acks.get(entry.seq);
    if (ack !== undefined) {
      events.push(await acknowledged(entry, ack, named));
      continue;
    }
    const message = found.get(entry.id);
    if (message === undefined) continue;
    const read: ReadMessage = "stored" in message ? { stored: parsed(message.stored) } : message;
    const event = eventOf(entry, read, await subjectReader(read, store, votersOf), parts, now);
    if (event !== undefined) events.push(event);
  }
  return events;
}

/** Payloads are large: each is parsed once for the filters, the record and the words. */
type ParsedMessage = StoredMessage & { readonly outline: Outline };
type ReadMessage = { readonly stored: ParsedMessage } | Exclude<Found, { readonly stored: StoredMessage }>;

const parsed = (stored: StoredMessage): ParsedMessage => ({ ...stored, outline: { payload: wholeOf(stored) } });

/** The message as it is except for its status; undefined if it left no trace. */
type SubjectAt = (status: Status | undefined) => Subject | undefined;

async function subjectReader(message: ReadMessage, store: MessageReads, votersOf: VotersOf): Promise<SubjectAt> {
  if ("stored" in message) {
    const { state, outline, author } = message.stored;
    const facts = { state, payload: outline.payload, authorSince: author.firstSeen, verifiedBy: votersOf(state) };
    return (status) => subjectOf(facts, status ?? state.status);
  }
  const { tombstone } = message;
  if (tombstone.trace === null) return () => undefined;
  const trace = JSON.parse(tombstone.trace) as Trace;
  const since = (await store.firstSeen(tombstone.author)) ?? tombstone.receivedAt;
  return (status) => subjectOfTrace(tombstone, status === undefined ? trace : { ...trace, status }, since);
}

function eventOf(entry: Entry, found: ReadMessage, at: SubjectAt, { render, words }: LogEventParts, now: number): LogEvent | undefined {
  const { seq, type, id, detail } = entry;
  const stored = "stored" in found ? found.stored : undefined;
  const document = stored === undefined ? undefined : () => searched(documentOf(stored.outline.payload, words));
  const message = "stored" in found ? found.stored.state.seq : found.tombstone.seq;
  const logEvent = (name: LiveEvent["name"], json: () => string, subjects: readonly (Subject | undefined)[]): LogEvent => ({
    event: liveEvent(entry, name, json),
    message,
    subjects: subjects.filter((subject) => subject !== undefined),
    document,
    until: name === "message" && stored !== undefined ? stored.state.expiresAt : Infinity,
  });
  switch (type) {
    case "create": {
      // A message that has ended meanwhile is not sent; its end is. If a message was removed, restored and posted again, its first entry is
      // not sent either.
      if (stored === undefined || !stands(stored, seq, now)) return undefined;
      const initial: Status = stored.state.duplicateOf === null ? "open" : "resolved";
      return logEvent("message", () => render(stored, now), [at(initial)]);
    }
    case "status": {
      const { from, to } = JSON.parse(detail ?? "{}") as { from: Status; to: Status };
      const [before, after, present] = [at(from), at(to), at(undefined)];
      return logEvent("status", () => JSON.stringify({ id, seq, from, to }), [
        ...(after === undefined || present === undefined ? [] : subjectsAfter(after, to, present.text.status)),
        ...(before === undefined ? [] : subjectsBefore(before, from, to)),
      ]);
    }
    case "expire":
    case "retract":
    case "remove":
    case "supersede":
      return logEvent("gone", () => JSON.stringify({ id, seq, reason: REASONS[type] }), [at(undefined)]);
    case "restore":
    case "alias_claim":
    case "alias_release":
    case "alias_expire":
    case "ack":
    case "key_block":
    case "key_unblock":
    case "board_key":
    case "key_commit":
    case "key_rotate":
    case "key_revoke":
    case "key_delegate":
    case "key_undelegate":
    case "key_veto":
    case "key_effect":
      return undefined;
  }
}
