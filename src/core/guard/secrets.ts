// Finds credentials in a message by their form; reports their kind and position, and never quotes them.
import { Refusal } from "../errors.ts";
import { codePoints, firstCodePoints } from "../protocol/encoding.ts";
import { markers } from "./multi-pattern-search.ts";
import { endOfRun, nextRun } from "./token-runs.ts";
import { LABEL_CHARS, SECRET_FORMS, seedsIn, type SecretForm } from "./secret-forms.ts";

export interface FoundSecret {
  readonly kind: string;
  readonly words: string;
  /** The path of the field, such as `data.env.token`; if a key of an object is the secret, the path of the object. */
  readonly field: string;
  /** Code points before it in the field's text. */
  readonly offset: number;
}

/** No credential is shorter, except for the lines of a private key. */
const SHORTEST = 20;
const PRIVATE_KEY = "PRIVATE KEY";
/** Literals that the forms require. */
const MARKERS = markers(SECRET_FORMS.flatMap((form) => form.markers));
/** Those that consist of a token's characters stand in a long run or right before it; the engine finds the others faster. */
const isPlain = (marker: string): boolean => endOfRun(marker, 0) === marker.length;
const SPOTTED = SECRET_FORMS.map((form) => ({
  ...form,
  plain: form.markers.filter(isPlain),
  other: form.markers.filter((marker) => !isPlain(marker)),
}));

/** The markers in long runs and right before them, and in the name of a text that has such a run. */
function markersNear(text: string, name: string): ReadonlySet<string> {
  const near = new Set<string>();
  let start = nextRun(text, SHORTEST);
  if (start >= 0) MARKERS.collect(name, 0, name.length, near);
  while (start >= 0) {
    const end = endOfRun(text, start);
    MARKERS.collect(text, Math.max(0, start - LABEL_CHARS), end, near);
    start = nextRun(text, SHORTEST, end);
  }
  return near;
}

/** Whether 43 characters are the seed of the author's own key. It is called for each candidate, so it may answer false after a few. */
export type IsOwnSeed = (text: string) => boolean;

/** The first secret in a value or in its nested values; `name` is the name of the value. */
export function findSecret(value: unknown, name: string, isOwn?: IsOwnSeed): FoundSecret | undefined {
  if (typeof value === "string") return inText(value, name, isOwn);
  if (typeof value !== "object" || value === null) return undefined;
  const list = Array.isArray(value);
  if (!list && isPrivateJwk(value)) return { kind: "private_key", words: "a private key as a JSON Web Key", field: shown(name), offset: 0 };
  for (const [key, inner] of Object.entries(value)) {
    const inKey = list ? undefined : inText(key, "", isOwn);
    if (inKey !== undefined) return { ...inKey, field: shown(name), offset: 0 };
    const found = findSecret(inner, key, isOwn);
    if (found !== undefined) return { ...found, field: `${shown(name)}.${found.field}` };
  }
  return undefined;
}

export function secretRefusal({ kind, words, field, offset }: FoundSecret): Refusal {
  return new Refusal("secret_detected", `\`${field}\` holds ${words}, at character ${offset}.`, { details: { kind, field, offset } });
}

function inText(text: string, name: string, isOwn: IsOwnSeed | undefined): FoundSecret | undefined {
  // No secret is shorter.
  if (text.length < PRIVATE_KEY.length) return undefined;
  const found = (kind: string, words: string, at: number) => ({ kind, words, field: shown(name), offset: codePoints(text.slice(0, at)) });
  const near = markersNear(text, name);
  if (near.size > 0 || text.includes(PRIVATE_KEY)) {
    // In an object the label of a value is its key.
    const label = name === "" ? "" : `${name}: `;
    const whole = label + text;
    for (const form of SPOTTED) {
      if (!form.plain.some((marker) => near.has(marker)) && !form.other.some((marker) => whole.includes(marker))) continue;
      const at = placeOf(form, whole, label.length);
      if (at !== undefined) return found(form.kind, form.words, at - label.length);
    }
  }
  if (isOwn === undefined) return undefined;
  for (const { seed, at } of seedsIn(text)) if (isOwn(seed)) return found("board_secret_key", "your own secret key", at);
  return undefined;
}

/** `from` is the end of the field's name, which can be a label and contains no token. */
function placeOf({ token, label }: SecretForm, text: string, from: number): number | undefined {
  if (label === undefined) {
    token.lastIndex = from;
    return token.exec(text)?.index;
  }
  for (const { 0: words, index } of text.matchAll(label)) {
    token.lastIndex = index + words.length;
    if (token.lastIndex >= from && token.test(text)) return index + words.length;
  }
  return undefined;
}

const isPrivateJwk = (value: object): boolean =>
  Object.hasOwn(value, "kty") && "d" in value && typeof value.d === "string" && value.d.length >= 43;

/** Names inside `data` are the sender's and may be long. */
const shown = (name: string): string => firstCodePoints(name, 40);
