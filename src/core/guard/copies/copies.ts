// Finds who else has posted nearly the same text lately, in a few steps and in bounded memory, however many messages there are.
import { resemblance, SIGNATURE_LENGTH } from "./minhash-signature.ts";

/** The near-copies of a text by other authors, who posted it before this author first did: nobody copies those who come later. */
export interface Spread {
  /** Other authors with a near-copy within the time window. */
  readonly copies: number;
  /** The number of authors, this one included, that posted it within the last minutes. */
  readonly lately: number;
  /** When this author posted it last. */
  readonly before: number | undefined;
}

/** The result for a text that nobody else has posted. */
export const ALONE: Spread = { copies: 0, lately: 1, before: undefined };

/** A text spreads if this many authors post it within this time. */
export const SPREADING_AUTHORS = 5;
const SPREADING_MS = 10 * 60_000;
export const isSpreading = ({ lately }: Spread): boolean => lately >= SPREADING_AUTHORS;

/** The similarity from which two texts are near-copies: three in five runs of five characters are equal, so one word in ten may differ. */
const ALIKE = 0.6;
/** Parts of a signature by which it is looked up: one of them is the same for nearly all near-copies, and hardly ever for other texts. */
const BANDS = 8;
const BAND = SIGNATURE_LENGTH / BANDS;
/** The most authors that are remembered for one text; beyond it the exact number no longer matters. */
const AUTHORS = 256;

interface Posted {
  /** The place of the author's first post among all posts. */
  readonly first: number;
  /** When the author posted it last. */
  readonly at: number;
}

/** Texts that are near-copies of the first of them. */
interface Group {
  readonly number: number;
  readonly signature: Uint16Array;
  /** Those who have been silent longest come first. */
  readonly authors: Map<string, Posted>;
}

/** The same messages in the same order give the same answers, on every board. */
export class Copies {
  readonly #capacity: number;
  readonly #window: number;
  /** The newest groups, each at its number modulo the capacity. */
  readonly #groups: (Group | undefined)[] = [];
  /** For each band, by its hash: the number of the newest group that has it, or 0. Later groups replace earlier ones. */
  readonly #places: Int32Array;
  readonly #mask: number;
  /** Counted from 1, so that zeroed memory means no group. */
  #next = 1;
  #posts = 0;

  /** At most `capacity` groups; posts older than `window` milliseconds do not count. */
  constructor(capacity: number, window: number) {
    this.#capacity = capacity;
    this.#window = window;
    const size = 2 ** Math.ceil(Math.log2(2 * capacity));
    this.#mask = size - 1;
    this.#places = new Int32Array(BANDS * size);
  }

  /** The result if this author posted it now, without storing it: for a dry run. */
  look(signature: Uint16Array, author: string, now: number): Spread {
    return this.#spreadOf(this.#groupOf(signature), author, now);
  }

  /** Adds a posted message, in the order of the log. */
  add(signature: Uint16Array, author: string, now: number): Spread {
    const found = this.#groupOf(signature);
    const spread = this.#spreadOf(found, author, now);
    const authors = found?.authors ?? new Map<string, Posted>();
    const first = authors.get(author)?.first ?? ++this.#posts;
    // Added at the end, so that the author who has been silent longest is dropped first.
    authors.delete(author);
    authors.set(author, { first, at: now });
    if (authors.size > AUTHORS) dropSilent(authors);
    // Moved to the front unless it is there already, so that a text that is still posted is not dropped.
    if (found === undefined || found.number !== this.#next - 1) this.#put(found?.signature ?? signature, authors, found);
    return spread;
  }

  /** Removes a message that was added but not stored. */
  takeBack(signature: Uint16Array, author: string, { before }: Spread): void {
    const authors = this.#groupOf(signature)?.authors;
    const posted = authors?.get(author);
    if (before === undefined) authors?.delete(author);
    else if (posted !== undefined) authors?.set(author, { ...posted, at: before });
  }

  #put(signature: Uint16Array, authors: Map<string, Posted>, before: Group | undefined): void {
    if (before !== undefined) this.#groups[before.number % this.#capacity] = undefined;
    const number = this.#next++;
    this.#groups[number % this.#capacity] = { number, signature, authors };
    for (let band = 0; band < BANDS; band++) this.#places[this.#placeOf(signature, band)] = number;
  }

  #groupOf(signature: Uint16Array): Group | undefined {
    let best: Group | undefined;
    let most = ALIKE;
    for (let band = 0; band < BANDS; band++) {
      const number = this.#places[this.#placeOf(signature, band)]!;
      const group = number === 0 ? undefined : this.#groups[number % this.#capacity];
      // Another group may have taken its place since.
      if (group === undefined || group.number !== number || group === best) continue;
      const alike = resemblance(signature, group.signature);
      if (alike < most) continue;
      best = group;
      most = alike;
    }
    return best;
  }

  #spreadOf(group: Group | undefined, author: string, now: number): Spread {
    let copies = 0;
    let lately = 1;
    const own = group?.authors.get(author);
    for (const { first, at } of group?.authors.values() ?? []) {
      if ((own !== undefined && first >= own.first) || now - at > this.#window) continue;
      copies++;
      if (now - at <= SPREADING_MS) lately++;
    }
    return { copies, lately, before: own?.at };
  }

  #placeOf(signature: Uint16Array, band: number): number {
    let hash = 0x811c9dc5 ^ band;
    for (let at = band * BAND; at < (band + 1) * BAND; at++) hash = Math.imul(hash ^ signature[at]!, 0x01000193);
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    return band * (this.#mask + 1) + ((hash ^ (hash >>> 13)) & this.#mask);
  }
}

/** The author of the text is never dropped: it would count as a copier of those who copied it. */
function dropSilent(authors: Map<string, Posted>): void {
  const origin = Math.min(...Array.from(authors.values(), ({ first }) => first));
  for (const [author, { first }] of authors) if (first !== origin) return void authors.delete(author);
}
