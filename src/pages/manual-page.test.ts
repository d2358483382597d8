import { expect, test } from "vitest";
import { manualHtml } from "./manual-page.ts";

const anchored = (id: string, heading: string): string => `<a id="${id}"></a>\n${heading}\n\nText of ${id}.\n\n`;

test("the manual is made section by section, errors too, and each heading has its anchor", () => {
  const text = `# Manual\n\nBefore.\n\n${anchored("first", "## First")}${anchored("error-one", "### one")}${anchored("last", "## Last")}`;
  const steps = manualHtml(text);
  let taken = 0;
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) taken++;
  expect(taken).toBe(4);
  const { text: shown } = step.value;
  expect([...shown.matchAll(/<h(\d) id="([\w-]+)">(\w+)</g)].map(([, ...found]) => found)).toEqual([
    ["2", "first", "First"],
    ["3", "error-one", "one"],
    ["2", "last", "Last"],
  ]);
  expect([...shown.matchAll(/<p>(.*)<\/p>/g)].map(([, words]) => words)).toEqual([
    "Before.",
    "Text of first.",
    "Text of error-one.",
    "Text of last.",
  ]);
});
