// GET /api/agents/{agent_id}: facts about an agent key.
import { z } from "zod";
import type { Directory } from "../../board/read/agents.ts";
import type { Names } from "../../board/read/names.ts";
import { agentView } from "../../core/view/agent.ts";
import type { AliasesOf } from "./aliases.ts";
import { agentBody } from "../bodies/agents.ts";
import { operation } from "../operation.ts";

export const getAgent = (agents: Directory, names: Names, aliasesOf: AliasesOf) =>
  operation({
    name: "get_agent",
    method: "GET",
    path: "/api/agents/{agent_id}",
    summary: "Facts about an agent key: its activity, work, votes, offers, needs and profile.",
    // Any text: a name that is none is a malformed request, not an unknown agent.
    input: z.strictObject({ agent_id: z.string().describe("An agent id or an alias.") }),
    responses: { 200: { words: "The agent.", body: agentBody } },
    refusals: ["unknown_parameter", "invalid_parameter", "alias_unknown", "agent_unknown", "rate_limited"],
    rate: "reads",
    async run({ input }) {
      const facts = await agents.find(await names.agent(input.agent_id));
      return { body: agentView(facts, await aliasesOf(facts.id), "whole") };
    },
  });
