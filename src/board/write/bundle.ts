// Many posts in one request: each is judged as if it came alone, in their order, and all that can go into one transaction goes together.
import { Refusal } from "../../core/errors.ts";
import { utf8Length } from "../../core/protocol/encoding.ts";
import type { Draft, Envelope } from "../../core/protocol/envelope.ts";
import { retractsAll } from "../../core/protocol/vocabulary.ts";
import { atCostOfNow } from "../../ports/share.ts";
import type { Difficulty } from "./difficulty.ts";
import { type CheckedPost, isKnown, type PostResult, type PostingHow, type PostSteps } from "./post-steps.ts";

/** A post of the bundle that has not entered yet. */
interface Waiting {
  readonly checked: Promise<CheckedPost>;
  readonly atItsCost: ReturnType<typeof atCostOfNow>;
  /** Of a rehearsal: it needs a text of one of each of these. */
  readonly lenders: readonly (readonly Lender[])[];
  readonly resolve: (posted: Promise<PostResult>) => void;
  readonly reject: (error: unknown) => void;
}

/** A post of a rehearsal that brings a text. */
interface Lender {
  readonly bytes: number;
  readonly checked: Promise<CheckedPost>;
  readonly posted: Promise<PostResult>;
}

export type BeginBundle = (how: { readonly dryRun: boolean }) => Bundle;

/** The difficulty is that of the moment at which the bundle begins, however long it takes. */
export const bundles =
  (steps: PostSteps, difficulty: Pick<Difficulty, "terms">): BeginBundle =>
  ({ dryRun }) =>
    new Bundle(steps, { dryRun, terms: difficulty.terms });

export class Bundle {
  readonly #steps: PostSteps;
  readonly #how: PostingHow & Required<Pick<PostingHow, "dryRun" | "terms">>;
  #waiting: Waiting[] = [];
  /** The ids of waiting messages, and the texts that they bring. A message that needs one of these must be checked after them. */
  readonly #brought = new Set<string>();
  /** Of a rehearsal, which stores nothing: who brings which text. */
  readonly #lenders = new Map<string, Lender[]>();

  constructor(steps: PostSteps, how: PostingHow & Required<Pick<PostingHow, "dryRun" | "terms">>) {
    this.#steps = steps;
    this.#how = how;
  }

  /** What work was worth when it began. */
  get requiredBits(): number {
    return this.#how.terms.required;
  }

  /** The next one. It is durable when `posted` resolves, which it does in one of the next `settle`s. */
  async add(envelope: Envelope): Promise<{ readonly posted: Promise<PostResult> }> {
    const draft = this.#steps.draft(envelope, this.#how);
    // A rehearsal is one for all: those before stay with it.
    if (!this.#how.dryRun && this.#needsOthers(draft)) await this.settle();
    this.#brought.add(draft.id);
    const blobs = Object.entries(envelope.blobs ?? {});
    for (const [hash] of blobs) this.#brought.add(hash);
    const { lent, lenders } = this.#how.dryRun ? await this.#lentTo(draft) : { lent: undefined, lenders: [] };
    const checked = this.#steps.check(draft, lent === undefined ? this.#how : { ...this.#how, lent });
    // Whoever waits for it hears of its failure later.
    checked.catch(() => {});
    const posted = new Promise<PostResult>((resolve, reject) => {
      this.#waiting.push({ checked, atItsCost: atCostOfNow(), lenders, resolve, reject });
    });
    if (this.#how.dryRun)
      for (const [hash, text] of blobs)
        this.#lenders.set(hash, [...(this.#lenders.get(hash) ?? []), { bytes: utf8Length(text), checked, posted }]);
    return { posted };
  }

  /** Everything so far has entered, and is on disk, or is refused. */
  async settle(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#brought.clear();
    const ready: (Waiting & { readonly post: CheckedPost })[] = [];
    for (const [i, outcome] of (await Promise.allSettled(waiting.map(({ checked }) => checked))).entries()) {
      const one = waiting[i]!;
      if (outcome.status === "fulfilled") ready.push({ ...one, post: outcome.value });
      else one.reject(outcome.reason);
    }
    if (!this.#how.dryRun) return this.#enter(ready);
    const rehearsed = this.#steps.rehearse(ready.map(({ post }) => post));
    for (const [i, { resolve, lenders }] of ready.entries()) resolve(withTexts(rehearsed[i]!, lenders));
    await Promise.allSettled(rehearsed);
  }

  /** In one go, so that the writer gets them together and in this order. */
  async #enter(ready: readonly (Waiting & { readonly post: CheckedPost })[]): Promise<void> {
    let entered: Promise<PostResult>[] = [];
    for (const { post, atItsCost, resolve } of ready) {
      // What is here already is answered as those before have left it; those after a withdrawal of everything come when it is done.
      const isKnownHere = isKnown(post);
      if (isKnownHere) await Promise.allSettled(entered);
      const posted = atItsCost(() => this.#steps.enter(post));
      resolve(posted);
      entered.push(posted);
      if (!isKnownHere && !retractsAll(post.draft.payload)) continue;
      await Promise.allSettled(entered);
      entered = [];
    }
    await Promise.allSettled(entered);
  }

  #needsOthers(draft: Draft): boolean {
    return [draft.id, ...elsewhere(draft)].some((one) => this.#brought.has(one));
  }

  /** The texts that those before it would have stored. */
  async #lentTo(draft: Draft): Promise<{ readonly lent: ReadonlyMap<string, number>; readonly lenders: Waiting["lenders"] }> {
    const lent = new Map<string, number>();
    const lenders: Lender[][] = [];
    for (const hash of elsewhere(draft)) {
      const sound: Lender[] = [];
      for (const one of this.#lenders.get(hash) ?? [])
        await one.checked.then(
          () => sound.push(one),
          () => {},
        );
      if (sound[0] === undefined) continue;
      lent.set(hash, sound[0].bytes);
      lenders.push(sound);
    }
    return { lent, lenders };
  }
}

/** Hashes of attachments whose texts it does not bring. */
const elsewhere = ({ payload, envelope: { blobs = {} } }: Draft): readonly string[] =>
  (payload.attachments ?? []).map(({ sha256 }) => sha256).filter((hash) => !Object.hasOwn(blobs, hash));

/** A text is there only where one of those that bring it would be posted. */
async function withTexts(rehearsed: Promise<PostResult>, lenders: Waiting["lenders"]): Promise<PostResult> {
  const result = await rehearsed;
  for (const those of lenders)
    await Promise.any(those.map(({ posted }) => posted)).catch(() => {
      throw new Refusal("blob_missing", "The line that brings the text of an attachment would be refused.");
    });
  return result;
}
