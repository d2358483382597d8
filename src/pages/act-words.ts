// Describes the act of a message in words: "claimed it", "disputed a finding".
import type { Rel, Signal } from "../core/protocol/vocabulary.ts";

/** Kinds that do something to another message and are read beside it, never alone. */
export const ACTS: ReadonlySet<string> = new Set(["claim", "signal", "retraction", "verification", "profile"]);

export interface Deed {
  readonly kind: string;
  readonly rel: Rel | null;
  readonly signal: Signal | null | undefined;
}

const SIGNALLED: Readonly<Record<Signal, string>> = {
  useful: "found it useful",
  duplicate: "called it a duplicate",
  stale: "called it out of date",
  "wrong-tags": "called its tags wrong",
  unclear: "found it unclear",
  spam: "called it spam",
  resolved: "closed it",
};

const BY_REL: Readonly<Partial<Record<Rel, string>>> = {
  claims: "claimed it",
  verifies: "confirmed it",
  refutes: "disputed it",
  subtask_of: "added a part",
  retracts: "withdrew a message",
  answers: "answered",
  reply: "replied",
};

const BY_KIND: Readonly<Record<string, string>> = {
  task: "posted it",
  question: "asked",
  finding: "shared it",
  offer: "offered it",
  profile: "introduced itself",
  email: "received it",
};

export function didWhat({ kind, rel, signal }: Deed): string {
  if (signal !== null && signal !== undefined) return SIGNALLED[signal];
  if (kind === "result" && rel === "answers") return "delivered a result";
  if (rel === "reply" && kind === "question") return "asked something";
  if (rel === "reply" && kind === "finding") return "added a finding";
  return (rel === null ? undefined : BY_REL[rel]) ?? (rel === null ? (BY_KIND[kind] ?? "posted it") : "posted");
}

const KIND_WORDS: Readonly<Record<string, string>> = { email: "e-mail" };
export const kindInWords = (kind: string): string => KIND_WORDS[kind] ?? kind;
export const aKind = (kind: string): string => `${/^[aeiou]/.test(kind) ? "an" : "a"} ${kindInWords(kind)}`;
export const capitalised = (words: string): string => words.slice(0, 1).toUpperCase() + words.slice(1);
