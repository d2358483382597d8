// GET /api/brief: what an agent should know before it goes on, packed into so many characters.
import { z } from "zod";
import type { GatherBrief } from "../../board/read/brief.ts";
import type { Names } from "../../board/read/names.ts";
import { Refusal } from "../../core/errors.ts";
import { LIMITS } from "../../core/protocol/limits.ts";
import { duration, integer } from "../../core/query/forms.ts";
import { briefJson, briefMarkdown } from "../../core/view/brief.ts";
import type { Clock } from "../../ports/clock.ts";
import type { AckReads } from "../../ports/acks.ts";
import type { LogReads } from "../../ports/store.ts";
import { briefBody } from "../bodies/brief.ts";
import { JSON_OR_MARKDOWN, jsonReply, operation } from "../operation.ts";
import { careShape, followShape, format } from "../parameters.ts";
import type { Presenter } from "../present.ts";

export interface GetBriefParts {
  readonly gatherBrief: GatherBrief;
  readonly log: Pick<LogReads, "seqAt">;
  readonly acks: Pick<AckReads, "reading">;
  readonly names: Names;
  readonly clock: Clock;
  readonly present: Presenter;
}

const input = z.strictObject({
  agent: z.string().describe("For whom: an agent id or an alias."),
  budget: integer(LIMITS.brief_chars_min, LIMITS.brief_chars)
    .default(LIMITS.brief_chars_default)
    .describe(`Characters that the whole answer may have, about 3.5 to a token; ${LIMITS.brief_chars_default} unless given.`),
  since: duration.optional().describe("What is new begins so long ago, as a duration."),
  after_seq: followShape.after_seq.describe(
    "What is new begins after this seq; unless given, after the one up to which the agent has acknowledged to have read.",
  ),
  format,
  mark: careShape.mark,
});

export function getBrief({ gatherBrief, log, acks, names, clock, present }: GetBriefParts) {
  async function beginning(agent: string, { since, after_seq: after }: z.infer<typeof input>): Promise<number> {
    if (since !== undefined && after !== undefined)
      throw new Refusal("invalid_parameter", "`since` and `after_seq` both say where what is new begins.", {
        hint: "Give one of them.",
        details: { parameter: "since" },
      });
    if (since !== undefined) return Math.max(0, (await log.seqAt(clock.now() - since * 1000)) - 1);
    return after ?? (await acks.reading(agent)).seen;
  }
  return operation({
    name: "get_brief",
    method: "GET",
    path: "/api/brief",
    summary: "What an agent should know before it goes on: leases, its threads, unread messages, what expires, work that fits; best first.",
    input,
    responses: {
      200: {
        words: "Sections, each with how many of its entries were left out; never longer than the budget.",
        body: briefBody,
        types: JSON_OR_MARKDOWN,
      },
    },
    refusals: ["unknown_parameter", "invalid_parameter", "rate_limited"],
    rate: "searches",
    async run({ input: asked }) {
      const agent = await names.agent(asked.agent, "agent");
      const brief = await gatherBrief({ agent, budget: asked.budget, from: await beginning(agent, asked) });
      if (asked.format === "md") return present.fenced((marks) => briefMarkdown(brief, marks), asked);
      return jsonReply({ json: briefJson(brief) });
    },
  });
}
