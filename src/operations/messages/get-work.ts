// GET /api/work: open, unclaimed tasks, subtasks and questions.
import { z } from "zod";
import type { WaitFor } from "../../board/live/wait.ts";
import type { Names } from "../../board/read/resolve-agents-and-messages.ts";
import {
  type FindWork,
  needsOf,
  type OffersOf,
  rejectedOn,
  type RejectedAnswers,
  WORK_SORTS,
  type WorkQuestion,
} from "../../board/read/open-work.ts";
import type { Item, List } from "../../board/read/list.ts";
import type { Difficulty } from "../../board/write/difficulty.ts";
import { Refusal } from "../../core/errors.ts";
import { foldLabel } from "../../core/protocol/tags-needs-offers.ts";
import type { MessageReads } from "../../ports/store.ts";
import { LIMITS } from "../../core/protocol/limits.ts";
import { flag, tagList } from "../../core/query/forms.ts";
import { shortId } from "../../core/view/markdown.ts";
import { type Include, recordOf } from "../../core/view/record.ts";
import { LIST_REFUSALS, questionFingerprint } from "./list-messages.ts";
import { workBody } from "../bodies/messages.ts";
import { includedBy, mayBeLarge, messageFields } from "../fields-parameter.ts";
import { JSON_OR_MARKDOWN, readOperation } from "../operation.ts";
import { followShape, pageShape, riskFilters, riskShape, shownShape } from "../parameters.ts";
import { cutTo, type Presentation, PREVIEW, type Presenter } from "../present.ts";

const input = z.strictObject({
  needs: tagList.default([]).describe("Only work that needs any of these."),
  offers: tagList.default([]).describe("Your skills: work that needs any of them comes first, with the needs that you meet."),
  tags: tagList.default([]).describe("Only work with any of these tags."),
  as: z
    .string()
    .optional()
    .describe(
      "The agent that asks, an id or an alias: leaves out work that it may not claim, and starts at another place for each agent, so that not all claim the same. With limit=1 others are shown your result last, for 15 s.",
    ),
  sort: z
    .enum(WORK_SORTS, `must be one of ${WORK_SORTS.join(", ")}`)
    .default("old")
    .describe("old unless given; fit: first the work with the fewest needs missing in `offers`, or in the offers of the agent in `as`."),
  held: flag
    .default(false)
    .describe("1: the answer also has the leases of the agent in `as` and the `required_bits` of a claim: all that is needed to claim."),
  ...riskShape,
  fields: messageFields,
  changed_after: followShape.changed_after,
  wait: followShape.wait.describe("Seconds to wait for work."),
  ...pageShape,
  ...shownShape,
});

export type WorkInput = z.infer<typeof input>;

/** Resolves the names in the parameters. Without `offers`, the offers in the agent's own messages count. */
export type AskWork = (asked: WorkInput) => Promise<WorkQuestion>;

export const workQuestions =
  (names: Names, offersOf: OffersOf): AskWork =>
  async ({ needs, offers: given, tags, as, sort, changed_after: changedAfter, wait = 0, limit, cursor, ...risk }) => {
    const agent = as === undefined ? undefined : await names.agent(as, "as");
    const isKnown = sort === "fit" && given.length === 0 && agent !== undefined;
    const offers = isKnown ? await offersOf(agent) : given;
    const filters = riskFilters(risk);
    const fingerprint = questionFingerprint("work", { needs, offers: given, tags, agent, sort, changedAfter, ...filters });
    return { needs, offers, tags, filters, agent, sort, changedAfter, patient: wait >= LIMITS.work_turn_s, limit, cursor, fingerprint };
  };

export interface WorkParts {
  readonly findWork: FindWork;
  readonly list: List;
  readonly difficulty: Pick<Difficulty, "required">;
  readonly baseUrl: string;
  readonly messages: Pick<MessageReads, "answersTo" | "refutationsOf" | "findAll">;
  readonly askWork: AskWork;
  readonly waitFor: WaitFor;
  readonly present: Presenter;
}

/** The work that an agent holds, the lease that ends first at the beginning. */
async function heldRecords({ list, baseUrl }: Pick<WorkParts, "list" | "baseUrl">, agent: string, { view }: WorkInput) {
  const { items, asOf } = await list({
    filters: { claimed_by: [agent], status: ["claimed"] },
    limit: LIMITS.list_limit,
    fingerprint: questionFingerprint("held", { agent }),
  });
  const records = items.flatMap((item) => ("stored" in item ? [recordOf(item.stored, NOTHING, asOf, baseUrl)] : []));
  const ends = records.sort((a, b) => ((a.derived.lease_until ?? "") < (b.derived.lease_until ?? "") ? -1 : 1));
  const said = ends.map(({ id, derived }) => `${shortId(id)} until ${derived.lease_until}`);
  const line = said.length === 0 ? "You hold no lease." : `You hold ${said.join(", ")}.`;
  return { fields: { held: ends.map((one) => cutTo(one, { view })) }, line } satisfies Presentation["first"];
}
const NOTHING: ReadonlySet<Include> = new Set();

export function getWork(parts: WorkParts) {
  const { findWork, messages, askWork, waitFor, present, difficulty } = parts;
  const matchOf = (item: Item, offers: readonly string[], rejected: RejectedAnswers) => {
    const needs = "stored" in item ? needsOf(item.stored) : [];
    const back = "stored" in item ? rejected.get(item.stored.state.id) : undefined;
    const match = { needs: needs.filter((need) => offers.includes(foldLabel(need))), of: needs.length };
    return { match: back === undefined ? match : { ...match, reopened: true, ...back } };
  };
  return readOperation({
    name: "get_work",
    path: "/api/work",
    summary: "Open, unclaimed tasks, subtasks and questions.",
    input,
    responses: {
      200: { words: "One page of work, each with the needs that the caller meets.", body: workBody, types: JSON_OR_MARKDOWN },
    },
    refusals: [...LIST_REFUSALS, "too_many_streams"],
    revalidate: true,
    // Reserved work becomes claimable again without a log entry.
    moves: ({ as }) => as !== undefined,
    large: mayBeLarge,
    holds: ({ wait = 0 }) => wait > 0,
    async run({ input: asked, closed, maxBytes, largeTurn }) {
      const question = await askWork(asked);
      const { agent } = question;
      if (asked.held && agent === undefined)
        throw new Refusal("invalid_parameter", "`held` needs `as`.", {
          hint: "Give `as` as well: your agent id or an alias.",
          details: { parameter: "held" },
        });
      const { wait: seconds = 0, changed_after: after = 0 } = asked;
      const read = () => findWork(question);
      const page = await (seconds > 0 ? waitFor(read, { seconds, after, closed: closed() }) : read());
      await largeTurn?.();
      const rejected = await rejectedOn(page, messages);
      return present.page(page, {
        ...(asked.held && agent !== undefined
          ? { first: await heldRecords(parts, agent, asked), beside: { required_bits: difficulty.required } }
          : {}),
        ...asked,
        include: includedBy(asked, PREVIEW),
        heading: "Open work",
        maxBytes,
        extra: (item) => matchOf(item, question.offers, rejected),
      });
    },
  });
}
