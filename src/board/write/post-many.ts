// Many posts in one request: each is checked like a single post, in order, and as many as possible go into one transaction.
import { utf8Length } from "../../core/protocol/encoding.ts";
import type { Draft, Envelope } from "../../core/protocol/envelope.ts";
import { retractsAll } from "../../core/protocol/vocabulary.ts";
import { atCostOfNow } from "../../ports/cpu-slices.ts";
import type { Difficulty } from "./difficulty.ts";
import type { CheckedPost, PayForStored, PostResult, PostingHow, PostSteps } from "./post-steps.ts";

/** A post of the bundle that has not entered yet. */
interface Waiting {
  readonly checked: Promise<CheckedPost>;
  readonly atItsCost: ReturnType<typeof atCostOfNow>;
  readonly resolve: (posted: Promise<PostResult>) => void;
  readonly reject: (error: unknown) => void;
}

/** A post of a dry run that brings the text of an attachment. */
interface Lender {
  readonly bytes: number;
  readonly checked: Promise<CheckedPost>;
}

export type BeginBundle = (how: { readonly dryRun: boolean }) => Bundle;

/** The difficulty is that of the moment at which the bundle begins. */
export const bundles =
  (steps: PostSteps, difficulty: Pick<Difficulty, "terms">): BeginBundle =>
  ({ dryRun }) =>
    new Bundle(steps, { dryRun, terms: difficulty.terms });

export class Bundle {
  readonly #steps: PostSteps;
  readonly #how: PostingHow & Required<Pick<PostingHow, "dryRun" | "terms">>;
  #waiting: Waiting[] = [];
  /** The ids and attachments of waiting messages. A message that refers to one of these must be checked after it. */
  readonly #brought = new Set<string>();
  /** Whether a waiting message withdraws others, whose attachments may go with them. */
  #withdraws = false;
  /** In a dry run, which stores nothing: which posts bring which text. */
  readonly #lenders = new Map<string, Lender[]>();

  constructor(steps: PostSteps, how: PostingHow & Required<Pick<PostingHow, "dryRun" | "terms">>) {
    this.#steps = steps;
    this.#how = how;
  }

  /** The difficulty when the bundle began. */
  get requiredBits(): number {
    return this.#how.terms.required;
  }

  /** Adds the next post. It is durable when `posted` resolves, after one of the next calls of `flush`. */
  async add(envelope: Envelope, payForStored?: PayForStored): Promise<{ readonly posted: Promise<PostResult> }> {
    const how = { ...this.#how, payForStored };
    const draft = this.#steps.draft(envelope, how);
    // A dry run covers all posts together, so the ones before stay in it.
    if (!this.#how.dryRun && this.#needsOthers(draft)) await this.flush();
    this.#brought.add(draft.id);
    this.#withdraws ||= retractsAll(draft.payload) || draft.payload.refs?.some(({ rel }) => rel === "retracts") === true;
    const blobs = Object.entries(envelope.blobs ?? {});
    for (const [hash] of blobs) this.#brought.add(hash);
    const checked = this.#steps.check(draft, how.dryRun ? { ...how, lent: await this.#lentTo(draft) } : how);
    // A failure is reported later, to the caller that awaits the post.
    checked.catch(() => {});
    const posted = new Promise<PostResult>((resolve, reject) => {
      this.#waiting.push({ checked, atItsCost: atCostOfNow(), resolve, reject });
    });
    if (this.#how.dryRun)
      for (const [hash, text] of blobs) this.#lenders.set(hash, [...(this.#lenders.get(hash) ?? []), { bytes: utf8Length(text), checked }]);
    return { posted };
  }

  /** Resolves when all posts so far are on disk or refused. */
  async flush(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#brought.clear();
    this.#withdraws = false;
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

  /** Synchronous, so that the writer gets the posts together and in order. */
  async #enter(ready: readonly (Waiting & { readonly post: CheckedPost })[]): Promise<void> {
    let entered: Promise<PostResult>[] = [];
    for (const { post, atItsCost, resolve } of ready) {
      // A known message waits for earlier posts, so that it is answered in the state that they leave. Posts after a withdrawal of
      // everything wait until the withdrawal is done.
      const isKnown = !("verified" in post);
      if (isKnown) await Promise.allSettled(entered);
      const posted = atItsCost(() => this.#steps.enter(post));
      resolve(posted);
      entered.push(posted);
      if (!isKnown && !retractsAll(post.draft.payload)) continue;
      await Promise.allSettled(entered);
      entered = [];
    }
    await Promise.allSettled(entered);
  }

  #needsOthers(draft: Draft): boolean {
    const needed = elsewhere(draft);
    return (this.#withdraws && needed.length > 0) || [draft.id, ...needed].some((one) => this.#brought.has(one));
  }

  /** The texts that earlier posts bring, with their size in bytes. Whether these posts are stored is seen when all are tried in order. */
  async #lentTo(draft: Draft): Promise<ReadonlyMap<string, number>> {
    const lent = new Map<string, number>();
    for (const hash of elsewhere(draft))
      for (const { bytes, checked } of this.#lenders.get(hash) ?? [])
        await checked.then(
          () => lent.set(hash, bytes),
          () => {},
        );
    return lent;
  }
}

/** Hashes of attachments whose text is not in the same post. */
const elsewhere = ({ payload, envelope: { blobs = {} } }: Draft): readonly string[] =>
  (payload.attachments ?? []).map(({ sha256 }) => sha256).filter((hash) => !Object.hasOwn(blobs, hash));
