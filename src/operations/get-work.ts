// GET /api/work: open, unclaimed tasks, subtasks and questions.
import { z } from "zod";
import type { Names } from "../board/names.ts";
import { type FindWork, rejectedOn, type RejectedAnswers, type WorkQuestion } from "../board/work.ts";
import type { Item } from "../board/list.ts";
import { distinctLabels, foldLabel } from "../core/protocol/labels.ts";
import type { Payload } from "../core/protocol/payload.ts";
import type { Card, Store } from "../ports/store.ts";
import { tagList } from "../core/query/forms.ts";
import { LIST_REFUSALS, questionText } from "./list-messages.ts";
import { listOrPartsBody } from "./bodies/messages.ts";
import { fields, includedBy } from "./field-paths.ts";
import { JSON_OR_MARKDOWN, operation } from "./operation.ts";
import { format, pageShape } from "./parameters.ts";
import { PREVIEW, type Presenter } from "./present.ts";

const input = z.strictObject({
  needs: tagList.default([]).describe("Only work that needs any of these."),
  offers: tagList.default([]).describe("What you can do: work that needs any of it comes first, each with what of it you meet."),
  tags: tagList.default([]).describe("Only work with any of these tags."),
  agent: z
    .string()
    .optional()
    .describe("Who asks, an agent id or an alias: leaves out what is addressed to others, which only they may claim."),
  fields,
  ...pageShape,
  format,
});

export type WorkInput = z.infer<typeof input>;

export async function workQuestion({ needs, offers, tags, agent: name, limit, cursor }: WorkInput, names: Names): Promise<WorkQuestion> {
  const agent = name === undefined ? undefined : await names.agent(name, "agent");
  const text = questionText("work", { needs, offers, tags, agent });
  return { needs, offers, tags, agent, limit, cursor, text };
}

export function getWork(findWork: FindWork, store: Pick<Store, "answersTo">, names: Names, present: Presenter) {
  const known = new WeakMap<Card["raw"], readonly string[]>();
  const needsOf = ({ raw }: Card): readonly string[] => {
    const needs = known.get(raw) ?? distinctLabels((JSON.parse(raw.payload) as Payload).needs ?? []);
    known.set(raw, needs);
    return needs;
  };
  const matchOf = (item: Item, offers: readonly string[], rejected: RejectedAnswers) => {
    const needs = "card" in item ? needsOf(item.card) : [];
    const back = "card" in item ? rejected.get(item.card.standing.id) : undefined;
    const match = { needs: needs.filter((need) => offers.includes(foldLabel(need))), of: needs.length };
    return { match: back === undefined ? match : { ...match, reopened: true, rejected: back } };
  };
  return operation({
    name: "get_work",
    method: "GET",
    path: "/api/work",
    summary: "Open, unclaimed tasks, subtasks and questions.",
    input,
    responses: {
      200: { words: "One page of work, each with what of it the caller meets.", body: listOrPartsBody, types: JSON_OR_MARKDOWN },
    },
    refusals: LIST_REFUSALS,
    rate: "reads",
    revalidate: true,
    async run({ input: asked }) {
      const page = await findWork(await workQuestion(asked, names));
      const rejected = await rejectedOn(page, store);
      return present.page(page, {
        include: includedBy(asked, PREVIEW),
        fields: asked.fields,
        format: asked.format,
        heading: "Open work",
        extra: (item) => matchOf(item, asked.offers, rejected),
      });
    },
  });
}
