// One clause of a query in one part, block by block: the highest score of a block, and its postings if it is worth reading.
import type { Clause } from "../query.ts";
import { clausePostings } from "./clause.ts";
import { Bm25f, saturated } from "./bm25f.ts";
import { BLOCK, blockMaximaOfPostings } from "./block-maxima.ts";
import { liveCount, type LongList, type MeanLengths, type IndexPart, type Postings } from "./index-part.ts";
import { readWordsInto } from "./postings.ts";

export class ClauseBlocks {
  readonly part: IndexPart;
  /** The number of live documents with the clause. */
  readonly live: number;
  readonly empty: boolean;
  /** The postings of the block that was read last are from here to there. */
  postings: Postings;
  from = 0;
  to = 0;
  readonly #long: LongList | undefined;
  #at: Uint32Array = new Uint32Array(0);

  constructor(part: IndexPart, clause: Clause) {
    this.part = part;
    const [word = ""] = clause.words;
    this.#long = clause.prefix || clause.words.length !== 1 ? undefined : part.longList(word);
    if (this.#long !== undefined) {
      this.postings = { docs: new Uint32Array(BLOCK), titles: new Uint16Array(BLOCK), bodies: new Uint16Array(BLOCK) };
      this.live = part.liveFrequency(word);
      this.empty = false;
    } else {
      this.postings = clausePostings(part, clause);
      this.live = part.deadCount === 0 ? this.postings.docs.length : liveCount(part.dead, this.postings.docs);
      this.empty = this.postings.docs.length === 0;
    }
  }

  /** For each block, an upper bound of what the clause adds to the score of a document in it; 0 if no document has the clause. */
  bounds(weight: number, means: MeanLengths): Float64Array {
    const bm25f = new Bm25f(means);
    const { most, means: by, at } = this.#long?.maxima ?? blockMaximaOfPostings(this.postings, this.part, bm25f);
    this.#at = at;
    const times = bm25f.timesMost(by);
    const bounds = new Float64Array(most.length);
    for (let block = 0; block < bounds.length; block++) bounds[block] = saturated(weight, most[block]! * times);
    return bounds;
  }

  read(block: number): void {
    if (this.#long === undefined) {
      this.from = this.#at[block] ?? 0;
      this.to = this.#at[block + 1] ?? 0;
    } else {
      const { bytes, maxima } = this.#long;
      const range = { from: maxima.at[block], to: maxima.at[block + 1], before: maxima.before[block] };
      this.to = readWordsInto(bytes, this.postings, range);
    }
  }
}
