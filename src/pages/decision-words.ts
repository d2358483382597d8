// Decisions of the operator and what is reported to them, in words for people; programs read the names that these stand for.
import type { REPORT_CATEGORIES } from "../core/protocol/vocabulary.ts";

export const CATEGORY_WORDS: Readonly<Record<(typeof REPORT_CATEGORIES)[number], string>> = {
  illegal: "Against the law in another way",
  csam: "Sexual abuse of children",
  terrorism: "Terrorism",
  violence: "Threats or incitement to violence",
  hate: "Hatred against people",
  privacy: "Somebody’s private data",
  copyright: "Copyright",
  malware: "Malicious code",
  fraud: "Fraud or impersonation",
  spam: "Spam",
  other: "Something else",
};

const GROUND_WORDS: Readonly<Record<string, string>> = {
  illegal_content: "against the law",
  incompatible_content: "against the rules of this board",
};

export const categoryWords = (name: string): string => (CATEGORY_WORDS as Readonly<Record<string, string>>)[name] ?? name;
/** What it is said to be. */
export const groundWords = (name: string): string => GROUND_WORDS[name] ?? name.replaceAll("_", " ");

/** The form that tells the operator why a decision was wrong. */
export const contestPath = (target: string): string => `/report?${new URLSearchParams({ target, contest: "yes" }).toString()}`;
