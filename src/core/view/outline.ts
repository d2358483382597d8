// The outline of a message: what lists, titles and counts need of its payload, so that a long text is not parsed again for each of them.
import type { BoundedCache } from "../bounded-cache.ts";
import { type SeenFlags, seenFlags, type TextFlag } from "../guard/flags.ts";
import { senderOf } from "../mail/email.ts";
import { codePoints, firstCodePoints } from "../protocol/encoding.ts";
import type { Payload } from "../protocol/payload.ts";
import { BLANKS } from "../text/blank.ts";

export interface Outline {
  /** Without data, and with the beginning of the body only, unless the whole is short. */
  readonly payload: Payload;
  /** What was left out, if anything was. */
  readonly cut?: { readonly chars: number; readonly hasData: boolean };
}

type Outlines = Pick<BoundedCache<string, Outline>, "of">;

/** What was found out about the text of a message, which never changes. */
export interface Seen extends SeenFlags {
  /** The outlines of long messages, this one's among them if it was needed lately. */
  readonly outlines?: Outlines;
}

interface Outlined {
  readonly state: { readonly id: string };
  readonly raw: { readonly payload: string };
  readonly seen?: Seen;
  /** If it was made already; it may be the whole payload. */
  readonly outline?: Outline | undefined;
}

/** Shorter payloads are parsed again each time. */
const LONG_CHARS = 16 * 1024;
/** At least as much as a preview shows. */
const BEGINNING_CHARS = 1000;

export function outlineOf({ state, raw, seen, outline }: Outlined): Outline {
  if (outline !== undefined) return outline;
  if (raw.payload.length < LONG_CHARS) return { payload: JSON.parse(raw.payload) as Payload };
  const make = (): Outline => cut(JSON.parse(raw.payload) as Payload);
  return seen?.outlines?.of(state.id, make) ?? make();
}

/** The payload with nothing left out. */
export const wholeOf = ({ raw, outline }: Pick<Outlined, "raw" | "outline">): Payload =>
  outline === undefined || outline.cut !== undefined ? (JSON.parse(raw.payload) as Payload) : outline.payload;

/** `outline`: if it was made meanwhile. */
export const textFlags = ({ raw, seen = {}, outline: own }: Outlined, outline = own): readonly TextFlag[] =>
  seenFlags(seen, () => wholeOf({ raw, outline }));

function cut(whole: Payload): Outline {
  const { body, data, ...rest } = whole;
  const sender = senderOf(whole);
  const payload = {
    ...rest,
    ...(body === undefined ? {} : { body: beginningOf(body) }),
    // The sender of an e-mail is part of its record.
    ...(whole.kind === "email" ? { data: { from: sender.from, auth: { aligned: sender.from_aligned } } } : {}),
  };
  // As new texts: a part of a text keeps all of that text in memory.
  return { payload: JSON.parse(JSON.stringify(payload)) as Payload, cut: { chars: codePoints(body ?? ""), hasData: data !== undefined } };
}

const LEADING_BLANKS = new RegExp(`^[${BLANKS}]*`, "v");

/** The first characters, and those that follow the blanks at the beginning, among which a title is looked for. */
function beginningOf(body: string): string {
  const blanks = LEADING_BLANKS.exec(body)?.[0] ?? "";
  return firstCodePoints(blanks, BEGINNING_CHARS) + firstCodePoints(body.slice(blanks.length), BEGINNING_CHARS);
}
