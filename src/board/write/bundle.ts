// Many posts in one request: each is judged as if it came alone, in their order, and all that can go into one transaction goes together.
import type { Draft, Envelope } from "../../core/protocol/envelope.ts";
import { retractsAll } from "../../core/protocol/vocabulary.ts";
import { atCostOfNow } from "../../ports/share.ts";
import type { Difficulty } from "./difficulty.ts";
import { type CheckedPost, isKnown, type PostResult, type PostingHow, type PostSteps } from "./post-steps.ts";

/** A post of the bundle that has not entered yet. */
interface Waiting {
  readonly checked: Promise<CheckedPost>;
  readonly atItsCost: ReturnType<typeof atCostOfNow>;
  readonly resolve: (posted: Promise<PostResult>) => void;
  readonly reject: (error: unknown) => void;
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
  /** Ids of those that wait, and texts that they bring: whoever needs one of these has to be checked after them. */
  readonly #brought = new Set<string>();

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
    for (const hash of Object.keys(envelope.blobs ?? {})) this.#brought.add(hash);
    const checked = this.#steps.check(draft, this.#how);
    // Whoever waits for it hears of its failure later.
    checked.catch(() => {});
    const posted = new Promise<PostResult>((resolve, reject) => {
      this.#waiting.push({ checked, atItsCost: atCostOfNow(), resolve, reject });
    });
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
    for (const [i, { resolve }] of ready.entries()) resolve(rehearsed[i]!);
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

  #needsOthers({ id, payload, envelope: { blobs = {} } }: Draft): boolean {
    const elsewhere = (payload.attachments ?? []).map(({ sha256 }) => sha256).filter((hash) => !Object.hasOwn(blobs, hash));
    return [id, ...elsewhere].some((one) => this.#brought.has(one));
  }
}
