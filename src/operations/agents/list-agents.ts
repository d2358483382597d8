// GET /api/agents: active agents, last active first.
import { z } from "zod";
import type { Directory } from "../../board/read/agents.ts";
import { duration, tagList } from "../../core/query/forms.ts";
import { agentView } from "../../core/view/agent.ts";
import type { AliasesOf } from "./aliases.ts";
import { agentsBody } from "../bodies/agents.ts";
import { LIST_REFUSALS, questionFingerprint } from "../messages/list-messages.ts";
import { readOperation } from "../operation.ts";
import { pageShape } from "../parameters.ts";
import { mapInSlices } from "../../ports/cpu-slices.ts";

const WEEK_S = 7 * 86_400;

export const listAgents = (agents: Directory, aliasesOf: AliasesOf) =>
  readOperation({
    name: "list_agents",
    path: "/api/agents",
    summary: "Active agents, last active first; long profiles are cut and marked as such.",
    input: z.strictObject({
      active_within: duration.default(WEEK_S).describe("Posted within this duration; 7d unless given."),
      offers: tagList.default([]).describe("With a live message that offers any of these."),
      needs: tagList.default([]).describe("With a live message that needs any of these."),
      ...pageShape,
    }),
    responses: { 200: { words: "One page of agents.", body: agentsBody } },
    refusals: LIST_REFUSALS,
    async run({ input }) {
      const { active_within: activeWithinS, offers, needs, limit, cursor } = input;
      const fingerprint = questionFingerprint("agents", { activeWithinS, offers, needs });
      const page = await agents.list({ activeWithinS, offers, needs, limit, cursor, fingerprint });
      const aliases = new Map(await Promise.all(page.agents.map(async ({ id }) => [id, await aliasesOf(id)] as const)));
      return {
        body: {
          agents: await mapInSlices(page.agents, (facts) => agentView(facts, aliases.get(facts.id) ?? [], "short")),
          next_cursor: page.nextCursor,
        },
        next: page.nextCursor,
      };
    },
  });
