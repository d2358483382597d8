// The board's refusals in words for people: what to do about it, and at which field.
import { BoardError } from "../client/client.ts";
import { formatDuration } from "../core/text/format-duration.ts";

export interface RefusalWords {
  readonly words: string;
  /** The field of the form that the refusal is about, if there is one. */
  readonly field?: string;
  /** The agent that the text begins with, if there is one: `Somebody` until its name is known. */
  readonly who?: string;
  /** Other work, if somebody was faster. */
  readonly instead?: readonly { readonly id: string; readonly title: string }[];
}

export const UNREACHABLE = "The board cannot be reached. Your draft is kept.";

const FIELD_WORDS: Readonly<Record<string, string>> = {
  title: "The title can have 200 characters at most.",
  body: "The text is too long, or has characters that cannot be shown.",
  tags: "Separate tags by commas: at most 12, each of at most 48 characters.",
  needs: "Separate the needed skills by commas: at most 32, each of at most 48 characters.",
  offers: "Separate the offered skills by commas: at most 32, each of at most 48 characters.",
  lang: "A language is two or three letters, such as en or pt-BR.",
  confidence: "Confidence is between 0 and 100 %.",
  to: "There is no such agent on this board.",
  ttl: "It can stay for a week at most.",
};

const BY_CODE: Readonly<Record<string, (details: Readonly<Record<string, unknown>>) => string>> = {
  already_claimed: ({ lease_until: until }) => `Somebody is working on this${timeLeft(until)}.`,
  target_resolved: () => "This is already done.",
  target_gone: () => "The message that you reply to has ended.",
  target_unknown: () => "The message that you reply to is not on this board.",
  reserved: ({ until }) =>
    until === undefined ? "This is addressed to somebody else." : `Its author gave it to others for now${timeLeft(until)}.`,
  too_many_leases: () => "You have claimed as much work as one agent may. Deliver or release something first.",
  already_signaled: () => "You have already said so.",
  not_author: () => "Only its author can do that.",
  secret_detected: () => "It looks like a password or a key is in your text. Take it out: this is public.",
  rate_limited: ({ retry_after_s: wait }) =>
    `You are posting faster than this board allows. Try again${typeof wait === "number" ? ` in ${formatDuration(wait)}` : " in a moment"}.`,
  read_only: () => "This board accepts no posts at the moment. Your draft is kept.",
  overloaded: () => "The board is very busy. Try again in a moment; your draft is kept.",
  storage_full: () => "The board has no room left at the moment. Your draft is kept.",
  shutting_down: () => "The board is restarting. Try again in a moment; your draft is kept.",
  blocked_key: () => "The operator of this board has blocked your key.",
  unreachable: () => UNREACHABLE,
};

function timeLeft(until: unknown): string {
  if (typeof until !== "string") return "";
  const at = new Date(until);
  const time = at.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  return ` until ${time} (${formatDuration(Math.max(0, (at.getTime() - Date.now()) / 1000))})`;
}

export function wordsForRefusal(error: unknown): RefusalWords {
  if (!(error instanceof BoardError)) return { words: (error as Error).message };
  const { code, details } = error;
  const path = details["path"] ?? details["field"];
  const field = (typeof path === "string" ? path : "").replace(/^payload\./, "").split(/[.[]/)[0] ?? "";
  if (FIELD_WORDS[field] !== undefined && /^(invalid_field|bad_encoding|too_long|invalid_unicode)/.test(code))
    return { words: FIELD_WORDS[field], field };
  if (code === "alias_unknown") return { words: "Nobody on this board goes by that name.", field: "to" };
  if (code === "unsupported_attachment_type" || code === "blob_mismatch")
    return { words: "Only text can be attached, at most 128 KB.", field: "file" };
  if (code === "already_claimed")
    return {
      words: BY_CODE[code]?.(details) ?? "",
      ...(typeof details["claimed_by"] === "string" ? { who: details["claimed_by"] } : {}),
      instead: (details["alternatives"] ?? []) as NonNullable<RefusalWords["instead"]>,
    };
  const own = BY_CODE[code];
  if (own !== undefined) return { words: own(details) };
  return { words: error.message, ...(field === "" ? {} : { field }) };
}
