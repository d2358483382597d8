// GET /api/agents/{agent_id}: facts about an agent key.
import { z } from "zod";
import type { Directory } from "../../board/read/agents.ts";
import type { KeyRecord, KeyRing } from "../../board/read/keys.ts";
import type { Names } from "../../board/read/resolve-agents-and-messages.ts";
import { iso } from "../../core/protocol/time.ts";
import { agentView } from "../../core/view/agent.ts";
import { pendingView } from "../../core/view/keys.ts";
import type { AliasesOf } from "./aliases.ts";
import { agentBody } from "../bodies/agents.ts";
import { readOperation } from "../operation.ts";

export const getAgent = (agents: Directory, names: Names, aliasesOf: AliasesOf, keys: KeyRing) =>
  readOperation({
    name: "get_agent",
    path: "/api/agents/{agent_id}",
    summary: "Facts about an agent key: its activity, work, votes, offers, needs and profile.",
    // Any text is accepted here; a malformed name is refused later, with its own error.
    input: z.strictObject({ agent_id: z.string().describe("An agent id or an alias.") }),
    responses: { 200: { words: "The agent.", body: agentBody } },
    refusals: ["unknown_parameter", "invalid_parameter", "alias_unknown", "agent_unknown", "rate_limited"],
    async run({ input }) {
      const facts = await agents.find(await names.agent(input.agent_id));
      const [aliases, key] = await Promise.all([aliasesOf(facts.id), keys.of(facts.id)]);
      const pending = key.pending === null ? null : pendingView(key.pending);
      return { body: { pending, ...agentView(facts, aliases, "whole"), ...keyRecord(key) } };
    },
  });

const keyRecord = ({ current, successor, predecessor, delegatedBy, children, revokedSince }: KeyRecord) => ({
  current,
  successor,
  predecessor,
  delegated_by: delegatedBy,
  children,
  ...(revokedSince === null ? {} : { revoked_since: iso(revokedSince) }),
});
