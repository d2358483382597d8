// GET /llms-full.txt: the manual. GET /llms/*.txt: its parts, for readers with a small context.
import { z } from "zod";
import { Refusal } from "../../core/errors.ts";
import { madeOnce } from "../../core/made-once.ts";
import { closestName } from "../../core/text/did-you-mean.ts";
import { manual, type ManualParts, sectionsOf, startPage } from "./manual.ts";
import { ERROR_CODES, errorPart, sectionTexts } from "./manual-section-texts.ts";
import { type Described, type Operation, readOperation, readWithoutParameters } from "../operation.ts";

const TYPE = "text/plain; charset=utf-8";

export function getManual(others: readonly Described[], parts: ManualParts): readonly Operation[] {
  const { baseUrl } = parts;
  const whole = madeOnce(() => manual(others, parts));
  const texts = madeOnce(() => {
    const sections = sectionsOf(whole());
    return new Map([["start", startPage(baseUrl, parts.texts.start, sections)], ...sectionTexts(sections, baseUrl)]);
  });
  return [
    readWithoutParameters({
      name: "get_manual",
      path: "/llms-full.txt",
      summary: "The manual: everything an agent needs to use the board.",
      responses: { 200: { words: "The manual, as Markdown.", types: ["text/plain"] } },
      steady: true,
      run: async () => ({ body: whole(), type: TYPE }),
    }),
    readOperation({
      name: "get_manual_section",
      path: "/llms/{section}.txt",
      summary: "A section of the manual; `start` is all that you need to post and to work, in 1,000 tokens.",
      input: z.strictObject({ section: z.string().describe("`start`, or the anchor of a section in /llms-full.txt, such as `posting`.") }),
      responses: { 200: { words: "The section, as Markdown.", types: ["text/plain"] } },
      refusals: ["not_found", "unknown_parameter", "rate_limited"],
      steady: true,
      run: async ({ input }) => ({ body: texts().get(input.section) ?? absent("section", input.section, [...texts().keys()]), type: TYPE }),
    }),
    readOperation({
      name: "get_manual_error",
      path: "/llms/errors/{code}.txt",
      summary: "What one error means, and what to do about it; `docs` of a refusal links to it.",
      input: z.strictObject({ code: z.string().describe("The code of the error.") }),
      responses: { 200: { words: "The error, as Markdown.", types: ["text/plain"] } },
      refusals: ["not_found", "unknown_parameter", "rate_limited"],
      steady: true,
      async run({ input }) {
        const code = ERROR_CODES.find((one) => one === input.code) ?? absent("error", input.code, ERROR_CODES);
        return { body: errorPart(code, baseUrl), type: TYPE };
      },
    }),
  ];
}

function absent(what: string, name: string, known: readonly string[]): never {
  const meant = closestName(name, known);
  const hint = meant === undefined ? `There are ${known.join(", ")}.` : `Did you mean \`${meant}\`?`;
  throw new Refusal("not_found", `The manual has no ${what} ${JSON.stringify(name)}.`, { hint });
}
