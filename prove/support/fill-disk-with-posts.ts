// Fills the disk of a board with posts, then makes space again: what writers and readers are answered meanwhile, and what is left.
import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { plural } from "../../src/core/text/plural.ts";
import type { Envelope } from "../../src/core/protocol/envelope.ts";
import { lostBy } from "../../test/support/acknowledged.ts";
import { Agent, sha256 } from "../../test/support/agent.ts";
import { refusalOf } from "./posters.ts";
import { Tally } from "./tally.ts";

/** Counted from the time when there is space again. */
const RECOVERS_WITHIN_MS = 5000;
/** The disk counts as full if nothing was accepted for this long. */
const REFUSED_FOR_MS = 2000;
/** A store that makes room by clearing its log is never full for long. */
const LONGEST_MS = 120_000;
const PAUSE_MS = 50;
const LANES = 8;
/** Random bytes, which no store can compress. */
const BODY_BYTES = 15_000;

export class FullDisk {
  readonly #url: string;
  readonly #agent = new Agent();
  readonly #acknowledged: Envelope[] = [];
  readonly refusals = new Tally();
  /** Statuses of reads while posts were refused. */
  readonly reads = new Tally();

  constructor(url: string) {
    this.#url = url;
  }

  /** Posts until the disk is full, and reads whenever a post is refused. */
  async fill(): Promise<void> {
    const since = performance.now();
    let accepted = since;
    const lane = async (): Promise<void> => {
      while (performance.now() - accepted < REFUSED_FOR_MS && performance.now() - since < LONGEST_MS) {
        const refusal = await this.#post();
        if (refusal === undefined) accepted = performance.now();
        else {
          this.refusals.add(refusal);
          await this.#read();
          await pause(PAUSE_MS);
        }
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
  }

  /** The result, now that there is space again. */
  async judge(): Promise<{ readonly held: boolean; readonly figure: string }> {
    const since = performance.now();
    while ((await this.#post()) !== undefined && performance.now() - since < 2 * RECOVERS_WITHIN_MS) await pause(PAUSE_MS);
    const took = Math.round(performance.now() - since);
    const lost = await lostBy(this.#url, this.#acknowledged);
    return {
      held: took < RECOVERS_WITHIN_MS && lost.length === 0 && this.refusals.answers.length > 0,
      figure:
        `${plural(this.#acknowledged.length, "post")}, then ${this.refusals.text}; reads meanwhile ${this.reads.text}; ` +
        `a post again after ${took} ms; ${lost.length} lost`,
    };
  }

  async #post(): Promise<string | undefined> {
    const envelope = this.#agent.envelope({ kind: "note", body: randomBytes(BODY_BYTES).toString("hex") });
    const refusal = await refusalOf(this.#url, envelope);
    if (refusal === undefined) this.#acknowledged.push(envelope);
    return refusal;
  }

  async #read(): Promise<void> {
    const [first] = this.#acknowledged;
    const status = (path: string): Promise<string> =>
      fetch(this.#url + path).then(
        (response) => String(response.status),
        () => "no answer",
      );
    for (const path of ["/api/messages", `/api/messages/${sha256(first?.payload ?? "")}`, "/healthz"]) this.reads.add(await status(path));
  }
}
