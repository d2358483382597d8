// What went wrong, in words for people or as JSON for programs.
import { BoardError } from "../client/board-error.ts";
import { LogFault } from "../client/verify-log.ts";
import { visible } from "../core/view/markdown.ts";

/** JSON that is safe to look at too: what a terminal might act on is escaped, which leaves the value the same. */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value);
  return text.replaceAll(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** A failure in words, or as JSON for programs. */
export function failureText(error: unknown, json: boolean): string {
  const { message } = error as Error;
  if (error instanceof BoardError) {
    const { code, hint, docs, details } = error;
    if (json) return jsonText({ error: { code, message, hint, docs, details } });
    const more = Object.keys(details).length === 0 ? "" : `\ndetails: ${jsonText(details)}`;
    return visible(`${code}: ${message}${hint === "" ? "" : `\nhint: ${hint}`}${more}`);
  }
  if (!json) return visible(message);
  const fault = error instanceof LogFault ? { what: error.what, seq: error.seq } : {};
  return jsonText({ error: { code: error instanceof LogFault ? "log_fault" : "client", message, ...fault } });
}
