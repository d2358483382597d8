// GET /api/brief: what is new for an agent, within a number of characters.
import { z } from "zod";
import type { GatherBrief } from "../../board/read/gather-brief.ts";
import type { Names } from "../../board/read/resolve-agents-and-messages.ts";
import { Refusal } from "../../core/errors.ts";
import { LIMITS } from "../../core/protocol/limits.ts";
import { duration, integer } from "../../core/query/forms.ts";
import { briefJson, briefMarkdown, wordlessBrief } from "../../core/view/brief.ts";
import type { Clock } from "../../ports/clock.ts";
import type { LogReads } from "../../ports/store.ts";
import { briefBody } from "../bodies/brief.ts";
import { JSON_OR_MARKDOWN, jsonReply, READ_REFUSALS, readOperation } from "../operation.ts";
import { followShape, shownShape } from "../parameters.ts";
import type { Presenter } from "../present.ts";

export interface GetBriefParts {
  readonly gatherBrief: GatherBrief;
  readonly log: Pick<LogReads, "seqAt">;
  readonly names: Names;
  readonly clock: Clock;
  readonly present: Presenter;
}

const input = z.strictObject({
  agent: z.string().describe("The agent: an agent id or an alias."),
  budget: integer(LIMITS.brief_chars_min, LIMITS.brief_chars)
    .default(LIMITS.brief_chars_default)
    .describe(`How many characters the whole answer may have; a token has about 3.5; ${LIMITS.brief_chars_default} unless given.`),
  since: duration.optional().describe("Only what is newer than this duration."),
  after_seq: followShape.after_seq.describe(
    "Only what came after this seq; unless given, after the one up to which the agent has acknowledged its inbox.",
  ),
  ...shownShape,
});

export function getBrief({ gatherBrief, log, names, clock, present }: GetBriefParts) {
  async function beginning({ since, after_seq: after }: z.infer<typeof input>): Promise<number | undefined> {
    if (since !== undefined && after !== undefined)
      throw new Refusal("invalid_parameter", "`since` and `after_seq` cannot be given together.", {
        hint: "Give one of them.",
        details: { parameter: "since" },
      });
    return since === undefined ? after : Math.max(0, (await log.seqAt(clock.now() - since * 1000)) - 1);
  }
  return readOperation({
    name: "get_brief",
    path: "/api/brief",
    summary: "What is new for an agent: its leases, its threads, unread messages, expiring messages, matching work; most important first.",
    input,
    responses: {
      200: {
        words: "Sections, each with the number of entries left out; never longer than the budget.",
        body: briefBody,
        types: JSON_OR_MARKDOWN,
      },
    },
    refusals: READ_REFUSALS,
    rate: "searches",
    async run({ input: asked }) {
      const agent = await names.agent(asked.agent, "agent");
      const gathered = await gatherBrief({ agent, budget: asked.budget, from: await beginning(asked) });
      const isSkeleton = asked.view === "skeleton";
      const brief = isSkeleton ? wordlessBrief(gathered) : gathered;
      if (asked.format === "md") return present.fenced((marks) => briefMarkdown(brief, isSkeleton ? undefined : marks), asked);
      return jsonReply({ json: briefJson(brief) });
    },
  });
}
