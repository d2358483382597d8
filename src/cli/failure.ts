// Failures of a command, and how they are printed: as text for people, or as JSON for programs.
import { BoardError } from "../client/board-error.ts";
import { LogFault } from "../client/verify-log.ts";
import { visible } from "../core/view/fence.ts";

/** The board's answer does not prove what it claims. */
export class ProofFault extends Error {
  override readonly name = "ProofFault";
}

/** The command was called in a wrong way. */
export class UsageFault extends Error {
  override readonly name = "UsageFault";
}

export const REFUSED = 1;
export const USAGE = 2;
const NO_ANSWER = 3;
const NOT_PROVED = 4;

/** The same codes as those of client.py. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageFault) return USAGE;
  if (error instanceof LogFault || error instanceof ProofFault) return NOT_PROVED;
  if (!(error instanceof BoardError)) return REFUSED;
  return error.status >= 500 || error.code === "unreachable" || error.code === "unexpected_answer" ? NO_ANSWER : REFUSED;
}

/** JSON that is also safe to print: control characters are escaped, which does not change the value. */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value);
  return text.replaceAll(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** What failed first: the work, and not the closing of what it used. */
export const firstFailure = (error: unknown): unknown => (error instanceof SuppressedError ? firstFailure(error.suppressed) : error);

/** A failure as text for people, or as JSON for programs. */
export function failureText(error: unknown, json: boolean): string {
  const message = messageOf(error as Error);
  if (error instanceof BoardError) {
    const { code, hint, docs, details } = error;
    if (json) return jsonText({ error: { code, message, hint, docs, details } });
    const more = Object.keys(details).length === 0 ? "" : `\ndetails: ${jsonText(details)}`;
    return visible(`${code}: ${message}${hint === "" ? "" : `\nhint: ${hint}`}${docs === "" ? "" : `\ndocs: ${docs}`}${more}`);
  }
  if (!json) return visible(error instanceof UsageFault ? `error: ${message}` : message);
  const fault = error instanceof LogFault ? { what: error.what, seq: error.seq } : {};
  return jsonText({ error: { code: codeOf(error), message, ...fault } });
}

/**
 * Rewords an error of the system, which names the file last and speaks of system calls, and one of OpenSSL, which has its numbers, source
 * files and lines around the reason.
 */
function messageOf({ message: given, path }: Error & { readonly path?: unknown }): string {
  const message = given.replace(/[0-9A-F]+:error:[0-9A-F]+:([^:]*):[^:]*:([^:]*):[^:]*:\d+:\s*/, "$1: $2");
  if (message.startsWith("EISDIR: ")) return "A directory was given in place of a file.";
  const [, why] = /^E[A-Z]+: ([^,]+), open /.exec(message) ?? [];
  return why === undefined || typeof path !== "string" ? message : `${path} cannot be opened: ${why}.`;
}

function codeOf(error: unknown): string {
  if (error instanceof LogFault) return "log_fault";
  if (error instanceof ProofFault) return "proof_fault";
  return error instanceof UsageFault ? "usage" : "client";
}
