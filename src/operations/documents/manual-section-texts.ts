// The manual in parts: each section and each error is a separate text, with links to the others.
import { ERRORS, type ErrorCode } from "../../core/errors.ts";
import { errorText, type Section } from "./manual.ts";

const ANCHOR = /<a id="([\w-]+)"><\/a>\n/g;
const TO_ANCHOR = /\]\(#([\w-]+)\)/g;
const ERROR_ANCHOR = "err-";

export const sectionUrl = (baseUrl: string, name: string): string => `${baseUrl}/llms/${name}.txt`;

/** The sections by name, for agents that cannot read the whole manual. */
export function sectionTexts(sections: readonly Section[], baseUrl: string): readonly (readonly [name: string, text: string])[] {
  const homes = new Map(sections.flatMap(({ name, text }) => [name, ...anchorsIn(text)].map((anchor) => [anchor, name] as const)));
  const linked = (text: string): string =>
    text.replaceAll(TO_ANCHOR, (_link, anchor: string) => {
      if (anchor.startsWith(ERROR_ANCHOR)) return `](${sectionUrl(baseUrl, `errors/${anchor.slice(ERROR_ANCHOR.length)}`)})`;
      const home = homes.get(anchor);
      if (home === undefined) throw new Error(`The manual has no anchor ${anchor}.`);
      return `](${sectionUrl(baseUrl, home)})`;
    });
  return sections.map(({ name, title, text }) => [name, `# ${title}\n\n${linked(text.replaceAll(ANCHOR, ""))}\n`]);
}

const anchorsIn = (text: string): string[] => [...text.matchAll(ANCHOR)].map(([, anchor = ""]) => anchor);

/** The text about one error, the same as in the whole manual. */
export const errorPart = (code: ErrorCode, baseUrl: string): string =>
  `# ${errorText(code)}\n\nEvery refusal: [errors](${sectionUrl(baseUrl, "errors")}). To begin: [start](${sectionUrl(baseUrl, "start")}).\n`;

export const ERROR_CODES = Object.keys(ERRORS) as ErrorCode[];
