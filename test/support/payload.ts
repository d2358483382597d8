// Payload texts of a known author, well formed or not.
import { LIMITS } from "../../src/core/protocol/limits.ts";

/** The public key of RFC 8032, section 7.1, test 1. */
export const PK = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";
export const ID = "068f2434f0bbf0724c7e20fc37ff86c1b22e6cd223d365153ea754140517f9cf";

/** A note as JSON text; fields given as undefined are left out. */
export const noteText = (fields: Readonly<Record<string, unknown>> = {}): string =>
  JSON.stringify({ v: 1, pk: PK, ts: 1767225600, kind: "note", body: "Hello", ...fields });

/** A note with one more field whose value stands in the text exactly as given. */
export const noteWith = (field: string, json: string): string => `${noteText().slice(0, -1)},${JSON.stringify(field)}:${json}}`;

/** The payload with the longest possible body in bytes: every character is written as two escapes. */
export const withLongestBody = (payload: string): string =>
  payload.replace("{", `{"body":"${"\\ud83d\\ude00".repeat(LIMITS.body_chars)}",`);

/** The payload with this many bytes. If a body is not enough, it gets a long `data` and white space. */
export function paddedTo(payload: string, bytes: number): string {
  const long = withLongestBody(payload).replace(
    "{",
    `{"data":{"a":"${"x".repeat(LIMITS.data_bytes - 8)}"},"needs":${LONG_LABELS},"offers":${LONG_LABELS},`,
  );
  return long.padEnd(bytes);
}

const LONG_LABELS = `[${Array.from({ length: LIMITS.needs }, (_, n) => `"${n} ${"\\ud83d\\ude00".repeat(45)}"`).join()}]`;
