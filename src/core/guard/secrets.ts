// Credentials in what is about to become public: found by their form, told by kind and place, never quoted.
import { Refusal } from "../errors.ts";
import { codePoints, firstCodePoints } from "../protocol/encoding.ts";
import { LABEL_CHARS, SECRET_FORMS, SEED, type SecretForm } from "./secret-forms.ts";

export interface FoundSecret {
  readonly kind: string;
  readonly words: string;
  /** The path of the field, such as `data.env.token`; where a key itself is the secret, that of the object around it. */
  readonly field: string;
  /** Code points before it in the field's text. */
  readonly offset: number;
}

/** No form is shorter, except for the lines of a private key. */
const SHORTEST = 20;
const SEED_CHARS = 43;
const PRIVATE_KEY = "PRIVATE KEY";
/** Letters, digits and `+ / _ -`: what tokens are made of. */
const TOKEN_CHARS = new Uint8Array(128);
for (const char of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-") TOKEN_CHARS[char.charCodeAt(0)] = 1;

/** What some form needs to be there, by a hash of its first three characters: one look at a table for each place in a text. */
const MARKERS = new Map<number, string[]>();
const SLOTS = new Uint8Array(4096);
const slotOf = (first: number, second: number, third: number): number => (first * 961 + second * 31 + third) & 4095;
for (const marker of new Set(SECRET_FORMS.flatMap(({ markers }) => markers))) {
  const slot = slotOf(marker.charCodeAt(0), marker.charCodeAt(1), marker.charCodeAt(2));
  SLOTS[slot] = 1;
  MARKERS.set(slot, [...(MARKERS.get(slot) ?? []), marker]);
}

function hasMarker(text: string, from: number, end: number): boolean {
  let first = 0;
  let second = 0;
  for (let at = from; at < end; at++) {
    const third = text.charCodeAt(at);
    const slot = slotOf(first, second, third);
    if (SLOTS[slot] === 1 && startsHere(text, at - 2, slot)) return true;
    first = second;
    second = third;
  }
  return false;
}

/** Apart from the loop, which would otherwise make a closure for each character. */
const startsHere = (text: string, at: number, slot: number): boolean =>
  MARKERS.get(slot)?.some((marker) => text.startsWith(marker, at)) ?? false;

/**
 * Where the next so many token characters in a row begin, which few ordinary texts have; -1 without any. Looks at the last place
 * first and jumps over what cannot hold a run, so that most characters of a text are never looked at.
 */
export function nextRun(text: string, length: number, after = 0): number {
  let from = after;
  for (let at = from + length - 1; at < text.length; at = from + length - 1) {
    while (at >= from && TOKEN_CHARS[text.charCodeAt(at)] === 1) at--;
    if (at < from) return from;
    from = at + 1;
  }
  return -1;
}

/** Whether something at or right before a run may be a secret: the rest of the text need not be looked at. */
function mayHold(text: string, name: string): boolean {
  for (let start = nextRun(text, SHORTEST); start >= 0;) {
    let end = start + SHORTEST;
    while (end < text.length && TOKEN_CHARS[text.charCodeAt(end)] === 1) end++;
    if (hasMarker(name, 0, name.length) || hasMarker(text, Math.max(0, start - LABEL_CHARS), end)) return true;
    start = nextRun(text, SHORTEST, end);
  }
  return text.includes(PRIVATE_KEY);
}

/** Tells whether a text of 43 characters that may be a seed is the author's own; asked for each, so it may give up after a few. */
export type IsOwnSeed = (text: string) => boolean;

/** The first secret in a value that will be public, or in what it holds; `name` is that of the value. */
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
  const found = (kind: string, words: string, at: number) => ({ kind, words, field: shown(name), offset: codePoints(text.slice(0, at)) });
  if (mayHold(text, name)) {
    // In an object the label of a value is its key.
    const label = name === "" ? "" : `${name}: `;
    const whole = label + text;
    for (const form of SECRET_FORMS) {
      const at = placeOf(form, whole, label.length);
      if (at !== undefined) return found(form.kind, form.words, at - label.length);
    }
  }
  if (isOwn === undefined || nextRun(text, SEED_CHARS) < 0) return undefined;
  for (const { 0: seed, index } of text.matchAll(SEED)) if (isOwn(seed)) return found("board_secret_key", "your own secret key", index);
  return undefined;
}

function placeOf({ markers, token, label }: SecretForm, text: string, from: number): number | undefined {
  if (!markers.some((marker) => text.includes(marker))) return undefined;
  token.lastIndex = from;
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    if (label === undefined || label.test(text.slice(Math.max(0, match.index - LABEL_CHARS), match.index))) return match.index;
  }
  return undefined;
}

const isPrivateJwk = (value: object): boolean =>
  Object.hasOwn(value, "kty") && "d" in value && typeof value.d === "string" && value.d.length >= 43;

/** Names inside `data` are the sender's and may be long. */
const shown = (name: string): string => firstCodePoints(name, 40);
