// A brief of anything at all: never over its budget, never an urgent thing cut for an ordinary one, always the same, never silent.
import { array, assert, boolean, integer, nat, property, record, string } from "fast-check";
import { describe, expect, test } from "vitest";
import { fencedLines } from "../../../test/support/hostile-words.ts";
import { codePoints, firstCodePoints } from "../protocol/encoding.ts";
import { type Brief, BRIEF_SECTIONS, type BriefItem, briefJson, briefMarkdown, wordlessBrief } from "./brief.ts";
import { fence, withJoint } from "./fence.ts";
import { pack } from "./pack.ts";

const MARKS = fence("0123456789ab");
/** Marker lines alone, and with marked words. */
const FENCES = [MARKS, withJoint(MARKS)] as const;
const text = string({ unit: "binary", maxLength: 400 }).map((value) => value.toWellFormed());

const item = record({ urgent: boolean(), title: text, entries: integer({ min: 1, max: 4 }), n: nat() }).map(
  ({ urgent, title, entries, n }): BriefItem => {
    const form = (words: string, shows: number) => ({
      shows,
      json: { id: String(n), urgent, title: words },
      lines: [{ facts: `- item ${n}${urgent ? " urgent" : ""}`, strange: [words] }],
    });
    return { urgent, forms: [form(title, entries), form(firstCodePoints(title, 10), 1)] };
  },
);

const brief = record({
  budget: integer({ min: 500, max: 9000 }),
  from: nat(),
  to: nat(),
  sections: array(record({ items: array(item, { maxLength: 12 }), unseen: nat(20_000), more: boolean() }), {
    minLength: BRIEF_SECTIONS.length,
    maxLength: BRIEF_SECTIONS.length,
  }),
}).map(({ budget, from, to, sections }): Brief => ({
  agent: "ag_0123456789abcdef0123",
  from,
  to,
  budget,
  sections: sections.map(({ items, unseen, more }, at) => ({
    name: BRIEF_SECTIONS[at] ?? "work",
    items,
    total: unseen + items.reduce((sum, { forms }) => sum + (forms[0]?.shows ?? 0), 0),
    more,
  })),
}));

interface Read {
  readonly used: number;
  readonly sections: readonly { name: string; items: readonly { id: string; urgent: boolean; title: string }[]; omitted: number }[];
}
const parsed = (one: Brief): Read => JSON.parse(briefJson(one)) as Read;

describe("whatever there is to tell", () => {
  test("neither form is longer than the budget, and the JSON says how long it is", () => {
    assert(
      property(brief, (one) => {
        const json = briefJson(one);
        expect(codePoints(json)).toBeLessThanOrEqual(one.budget);
        expect(parsed(one).used).toBe(codePoints(json));
        for (const marks of FENCES) expect(codePoints(briefMarkdown(one, marks))).toBeLessThanOrEqual(one.budget);
      }),
    );
  });

  test("nothing ordinary is there while something urgent is left out", () => {
    assert(
      property(brief, (one) => {
        const urgent = one.sections.flatMap(({ items }) => items).filter((each) => each.urgent).length;
        const shown = parsed(one).sections.flatMap(({ items }) => items);
        if (shown.some((each) => !each.urgent)) expect(shown.filter((each) => each.urgent)).toHaveLength(urgent);
        const lines = briefMarkdown(one, MARKS)
          .split("\n")
          .filter((line) => line.startsWith("- item"));
        if (lines.some((line) => !line.endsWith("urgent"))) expect(lines.filter((line) => line.endsWith("urgent"))).toHaveLength(urgent);
      }),
    );
  });

  test("the same facts make the same text, and what is left out is counted in every section", () => {
    assert(
      property(brief, (one) => {
        expect(briefJson(one)).toBe(briefJson(structuredClone(one)));
        expect(briefMarkdown(one, MARKS)).toBe(briefMarkdown(structuredClone(one), MARKS));
        const read = parsed(one);
        expect(read.sections.map(({ name }) => name)).toEqual(BRIEF_SECTIONS);
        for (const [at, { items, omitted }] of read.sections.entries()) {
          const { total = 0, items: all = [] } = one.sections[at] ?? {};
          // An item in short shows fewer of its entries; its title tells which form it has.
          expect(omitted).toBeGreaterThanOrEqual(total - all.reduce((sum, { forms }) => sum + (forms[0]?.shows ?? 0), 0));
          expect(omitted).toBeLessThanOrEqual(total - items.length);
        }
      }),
    );
  });

  test("a stranger's words stand between the marks, and cannot leave them", () => {
    assert(
      property(brief, (one) => {
        for (const marks of FENCES) {
          for (const line of fencedLines(briefMarkdown(one, marks), marks).outside)
            expect(line).toMatch(/^(#|Seq |Text between|- item |Nothing in|$)/u);
        }
      }),
    );
  });
});

test("without words it is the same whatever strangers wrote, and needs no marks", () => {
  assert(
    property(brief, text, (one, words) => {
      const other: Brief = JSON.parse(JSON.stringify(one), (name, value: unknown) =>
        name === "title" ? words : name === "strange" ? [words] : value,
      ) as Brief;
      const [shown, reworded] = [wordlessBrief(one), wordlessBrief(other)];
      expect(briefJson(shown)).toBe(briefJson(reworded));
      expect(briefMarkdown(shown, undefined)).toBe(briefMarkdown(reworded, undefined));
      expect(codePoints(briefJson(shown))).toBeLessThanOrEqual(one.budget);
      expect(briefMarkdown(shown, undefined)).not.toContain("<<<DATA");
    }),
  );
});

test("the least budget holds the emptiest brief, however large its numbers", () => {
  const most = Number.MAX_SAFE_INTEGER;
  const sections = BRIEF_SECTIONS.map((name) => ({ name, items: [], total: 10_000, more: true }));
  const one: Brief = { agent: "ag_0123456789abcdef0123", from: most, to: most, budget: 500, sections };
  expect(codePoints(briefJson(one))).toBeLessThanOrEqual(500);
  for (const marks of FENCES) expect(codePoints(briefMarkdown(one, marks))).toBeLessThanOrEqual(500);
});

test("as many urgent pieces as fit come in short before any is written at length", () => {
  const piece = (urgent: boolean, ...sizes: number[]) => ({ urgent, forms: sizes.map((size) => ({ size })) });
  const taken = pack([piece(true, 60, 20), piece(true, 60, 20), piece(true, 60, 20), piece(false, 5)], 100);
  expect(taken.map((form) => form?.size)).toEqual([60, 20, 20, undefined]);
});
