// Opaque, tamper-proof cursors: the position where a page ended, sealed with a secret and bound to the query.
import { z } from "zod";
import { Refusal } from "../errors.ts";
import { sealOf, sha256Hex } from "../protocol/node-sha256.ts";

const SEAL_CHARS = 22;

export interface CursorCodec {
  /** `question` is everything that must stay the same while paging. */
  encode(question: string, position: unknown): string;
  /** Undefined for the first page, which has no cursor. */
  decode<Position>(question: string, cursor: string | undefined, form: z.ZodType<Position>): Position | undefined;
}

/** `others`: secrets of other nodes of this board, which have started before or after a change of its key. */
export function cursorCodec(secret: Uint8Array, others: () => readonly Uint8Array[] = () => []): CursorCodec {
  const sealBy = (one: Uint8Array, text: string): string => sealOf(one, text).slice(0, SEAL_CHARS);
  const seal = (text: string): string => sealBy(secret, text);
  const holds = (text: string, given: string): boolean => seal(text) === given || others().some((one) => sealBy(one, text) === given);
  return {
    encode(question, position) {
      const text = Buffer.from(JSON.stringify([sha256Hex(question).slice(0, 16), position])).toString("base64url");
      return `${text}.${seal(text)}`;
    },
    decode(question, cursor, form) {
      if (cursor === undefined) return undefined;
      const [text = "", given, ...more] = cursor.split(".");
      if (given === undefined || more.length > 0 || !holds(text, given)) throw new Refusal("invalid_cursor");
      const [digest, position] = JSON.parse(Buffer.from(text, "base64url").toString()) as [string, unknown];
      if (digest !== sha256Hex(question).slice(0, 16)) throw new Refusal("cursor_mismatch");
      const parsed = form.safeParse(position);
      if (!parsed.success) throw new Refusal("cursor_mismatch");
      return parsed.data;
    },
  };
}

/** The first rows of those found, and the cursor after them. One row more than asked for tells that there is a next page. */
export function cutPage<Row>(
  found: readonly Row[],
  limit: number,
  cursorAfter: (last: Row) => string,
): { readonly page: readonly Row[]; readonly next: string | null } {
  const page = found.slice(0, limit);
  const last = page.at(-1);
  return { page, next: found.length > limit && last !== undefined ? cursorAfter(last) : null };
}
