// The character grams of a text, by which similar texts are found.

/** The first character of every gram term. Words are letters, digits and emoji, so none starts with it. */
export const GRAM = "~";
/** About the first seventy words: texts say what they are about at the beginning, and recall is no better with more. */
const GRAMS = 256;
/** From here on a character is a syllable or a whole word (CJK, kana, Hangul), and two of them say as much as three letters. */
const WIDE = 0x2e80;

/** One object per gram, so that the grams of one text are deduplicated without hashing them again. */
interface Gram {
  readonly term: string;
  /** The number of the last text that contained it. */
  text: number;
}

/** Only short words are cached, since a longer slice would keep the whole text in memory that it was cut from. */
const MAX_CACHED_CHARS = 12;
const MAX_CACHED_WORDS = 16_384;
const MAX_CACHED_GRAMS = 65_536;

/** The characters of ASCII words and their ends: three of them make a number, by which a gram is found without making its text. */
const PLAIN = " abcdefghijklmnopqrstuvwxyz0123456789+#";
const PLACES = new Int8Array(128).fill(-1);
for (let place = 0; place < PLAIN.length; place++) PLACES[PLAIN.charCodeAt(place)] = place;

export class GramCache {
  /** Grams of recent non-ASCII words. */
  readonly #words = new Map<string, readonly Gram[]>();
  readonly #grams = new Map<string, Gram>();
  readonly #plain = Array<Gram | undefined>(PLAIN.length ** 3).fill(undefined);
  #texts = 0;

  /** The first grams of the runs, each once. */
  grams(...of: readonly (readonly string[])[]): string[] {
    if (this.#words.size >= MAX_CACHED_WORDS || this.#grams.size >= MAX_CACHED_GRAMS) {
      this.#words.clear();
      this.#grams.clear();
    }
    this.#texts++;
    const out: string[] = [];
    for (const found of of) {
      for (const run of found) {
        if (isPlain(run)) this.#addPlain(run, out);
        else for (const gram of this.#gramsOf(run)) if (out.length < GRAMS) this.#add(gram, out);
        if (out.length === GRAMS) return out;
      }
    }
    return out;
  }

  #add(gram: Gram, out: string[]): void {
    if (gram.text === this.#texts) return;
    gram.text = this.#texts;
    out.push(gram.term);
  }

  /** Like cutGrams, in place. */
  #addPlain(run: string, out: string[]): void {
    let first = 0;
    let second = placeAt(run, 0);
    for (let at = 1, end = Math.min(run.length, GRAMS); at <= end && out.length < GRAMS; at++) {
      const third = at < run.length ? placeAt(run, at) : 0;
      this.#add(this.#plainGram(first, second, third), out);
      first = second;
      second = third;
    }
  }

  #plainGram(first: number, second: number, third: number): Gram {
    const number = (first * PLAIN.length + second) * PLAIN.length + third;
    return (this.#plain[number] ??= { term: `${GRAM}${PLAIN[first]}${PLAIN[second]}${PLAIN[third]}`, text: 0 });
  }

  #gramsOf(run: string): readonly Gram[] {
    const known = this.#words.get(run);
    if (known !== undefined) return known;
    const made = cutGrams(run).map((cut) => this.#gramOf(cut));
    if (run.length <= MAX_CACHED_CHARS) this.#words.set(run, made);
    return made;
  }

  #gramOf(cut: string): Gram {
    if (cut.length === 3 && isPlain(cut)) return this.#plainGram(placeAt(cut, 0), placeAt(cut, 1), placeAt(cut, 2));
    let gram = this.#grams.get(cut);
    if (gram === undefined) this.#grams.set(cut, (gram = { term: GRAM + cut, text: 0 }));
    return gram;
  }
}

/** The index of a character in PLAIN; -1 if it is not there. */
function placeAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code < 128 ? PLACES[code]! : -1;
}

function isPlain(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (placeAt(text, at) < 0) return false;
  return true;
}

/** Trigrams of a run with a space at both ends; bigrams if the characters are wide. */
function cutGrams(run: string): string[] {
  const padded = ` ${run} `;
  const out: string[] = [];
  let at = 0;
  for (let second = after(padded, at); second < padded.length && out.length < GRAMS; second = after(padded, at)) {
    const wide = padded.charCodeAt(at) >= WIDE || padded.charCodeAt(second) >= WIDE;
    const third = after(padded, second);
    const end = wide ? third : after(padded, third);
    if (end <= padded.length) out.push(padded.slice(at, end));
    at = second;
  }
  return out;
}

/** The index of the next character; a surrogate pair is one character. */
const after = (text: string, at: number): number => at + ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);
