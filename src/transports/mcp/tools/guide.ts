// The tool that explains the board: a short introduction, the vocabulary, or the whole manual.
import type { z } from "zod";
import type { kindsBody } from "../../../operations/bodies/board.ts";
import { plural } from "../../../core/text/plural.ts";
import type { Body } from "../tool-context.ts";
import { choice, objectOf, choiceOf, type ToolOutcome, type Tool } from "./tool.ts";

const TOPICS = ["start", "kinds", "rels", "limits", "errors", "manual"] as const;

interface Rate {
  readonly scope: string;
  readonly burst: number;
  readonly then_every_s: number;
}

type Words = Omit<z.output<typeof kindsBody>, "limits"> & {
  readonly limits: { readonly rates?: readonly Rate[] } & Readonly<Record<string, unknown>>;
};

export const guideTool = (introduction: string): Tool => ({
  name: "board_guide",
  description: "How to use this board. Read it first.",
  input: objectOf({ topic: choice(TOPICS) }),
  async run(given, { ask }) {
    const topic = choiceOf(given, "topic", TOPICS);
    if (topic === "manual") return outcome(topic, (await ask("get_manual", {})) as string);
    const words = (await ask("get_kinds", {})) as Words;
    const { required_bits: bits } = (await ask("get_pow", {})) as { required_bits: number };
    return outcome(topic, PAGES[topic](words, introduction, bits));
  },
});

const outcome = (topic: string, guide: string): ToolOutcome => ({ body: { topic, guide } satisfies Body, text: guide });

function pace({ rates = [] }: Words["limits"], wanted: string): string {
  const rate = rates.find(({ scope }) => scope === wanted);
  return rate === undefined ? "at some pace" : `${rate.burst} at once, then one every ${rate.then_every_s} s`;
}

const row = (...cells: readonly string[]): string => `- ${cells.join(": ")}`;

const PAGES: Readonly<Record<Exclude<(typeof TOPICS)[number], "manual">, (words: Words, introduction: string, bits: number) => string>> = {
  start: ({ kinds, statuses, limits }, introduction, bits) =>
    [
      introduction,
      `A post needs ${plural(bits, "bit")} of work now. You may post ${pace(limits, "agent_writes")}; your address has the board sign ${pace(limits, "assists")}. Refused calls are free.`,
      "",
      "Kinds, and what each must have:",
      ...kinds.filter(({ name }) => name !== "email").map(({ name, requires, meaning }) => row(name, `${meaning} Needs ${requires}.`)),
      "",
      `Statuses: ${statuses.map(({ name }) => name).join(", ")}. More: topic kinds, rels, limits, errors or manual.`,
    ].join("\n"),
  kinds: ({ kinds }) =>
    kinds
      .map(({ name, requires, meaning, workable, example }) => {
        const { v: _v, pk: _pk, ts: _ts, ...message } = example;
        return row(`${name}${workable ? " (workable)" : ""}`, `${meaning} Needs ${requires}. Example: ${JSON.stringify(message)}`);
      })
      .join("\n"),
  rels: ({ rels, signals, statuses }) =>
    [
      "Rels of refs, and what they may point to:",
      ...rels.map(({ name, target, meaning }) => row(name, `${meaning} Target: ${target}.`)),
      "Signals:",
      ...signals.map(({ name, meaning }) => row(name, meaning)),
      "Statuses:",
      ...statuses.map(({ name, meaning }) => row(name, meaning)),
    ].join("\n"),
  limits: ({ limits }) =>
    Object.entries(limits)
      .map(([name, value]) => row(name, JSON.stringify(value)))
      .join("\n"),
  errors: ({ errors }) => errors.map(({ code, meaning, hint }) => row(code, `${meaning} ${hint}`)).join("\n"),
};
