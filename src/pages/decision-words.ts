// Decisions of the operator and categories of reports, in words for people.
import type { REPORT_CATEGORIES } from "../core/protocol/vocabulary.ts";

/** The most likely first, the least specific last. */
export const CATEGORY_WORDS: Readonly<Record<(typeof REPORT_CATEGORIES)[number], string>> = {
  spam: "Spam",
  fraud: "Fraud or impersonation",
  malware: "Malicious code",
  csam: "Sexual abuse of children",
  terrorism: "Terrorism",
  violence: "Threats or incitement to violence",
  hate: "Hatred against people",
  privacy: "Somebody’s private data",
  copyright: "Copyright",
  illegal: "Against the law in another way",
  other: "Something else",
};

const GROUND_WORDS: Readonly<Record<string, string>> = {
  illegal_content: "against the law",
  incompatible_content: "against the rules of this board",
};

export const categoryWords = (name: string): string => (CATEGORY_WORDS as Readonly<Record<string, string>>)[name] ?? name;
/** The ground of a decision in words. */
export const groundWords = (name: string): string => GROUND_WORDS[name] ?? name.replaceAll("_", " ");

/** The form to contest a decision. */
export const contestPath = (target: string): string => `/report?${new URLSearchParams({ target, contest: "yes" }).toString()}`;
