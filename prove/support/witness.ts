// Somebody who asks a board for its signed head all the time and keeps every answer: in the end each must stand on the one chain there is.
import { createPublicKey, verify } from "node:crypto";
import { plural } from "../../src/core/text/plural.ts";
import type { Checkpoint } from "../../src/core/log/checkpoint.ts";
import { GENESIS } from "../../src/core/log/chain.ts";
import type { Change } from "../../test/support/chain.ts";
import { treeHeadAt, wrongTreeHeads } from "../../test/support/tree-heads.ts";

const PAUSE_MS = 10;

/** Of all witnesses of this run, for the part that sums up. */
export const heard = { served: 0, off: 0, logs: 0 };

export class Witness {
  readonly #seen = new Map<string, Checkpoint>();
  readonly #trees = new Set<string>();
  #served = 0;
  #off = 0;
  #newest = 0;
  #stopped = false;

  /** Asks until the board is gone, or until told to stop. */
  async watch(url: () => string): Promise<void> {
    this.#stopped = false;
    while (!this.#stopped) {
      await this.ask(url()).catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }

  stop(): void {
    this.#stopped = true;
  }

  [Symbol.dispose](): void {
    this.stop();
  }

  /** Asks once; a refusal is no signature. */
  async ask(url: string): Promise<void> {
    const newest = this.#newest;
    const response = await fetch(`${url}/api/checkpoint`);
    const body = (await response.json()) as Checkpoint;
    if (response.status !== 200) return;
    this.#served++;
    this.#seen.set(`${body.payload} ${body.sig}`, body);
    // Whoever asks after an answer gets one that is at least as new.
    if (body.seq < newest) this.#off++;
    this.#newest = Math.max(this.#newest, body.seq);
    const tree = await treeHeadAt(url);
    if (tree !== undefined) this.#trees.add(tree);
  }

  /** Signed heads of the tree that were seen so far. */
  get trees(): readonly string[] {
    return [...this.#trees];
  }
  /** What was seen so far; for a log that may end before the last of it. */
  get seen(): readonly Checkpoint[] {
    return [...this.#seen.values()];
  }

  /** Ends the watching, holds everything against the log of the end, and says so in figures. */
  judge(log: readonly Change[]): { readonly held: boolean; readonly figure: string } {
    this.stop();
    const wrong = wrongTreeHeads(this.#trees, log);
    const off = this.#off + offChain(this.seen, log) + wrong;
    heard.served += this.#served;
    heard.off += off;
    heard.logs++;
    return {
      held: off === 0 && this.#served > 0,
      figure: `${plural(this.#served, "signed head")} served, ${off} off the final chain; ${plural(this.#trees.size, "tree head")}, ${wrong} with another root than the log gives`,
    };
  }
}

/** Signed heads that do not stand in this log, that are not signed, or that more than one key has signed. */
export function offChain(checkpoints: readonly Checkpoint[], log: readonly Change[]): number {
  const hashes = new Map(log.map(({ seq, hash }) => [seq, hash] as const)).set(0, GENESIS);
  const [pk] = checkpoints.map((one) => one.pk);
  return checkpoints.filter((one) => one.pk !== pk || hashes.get(one.seq) !== one.hash || !isSigned(one)).length;
}

function isSigned({ payload, sig, pk, seq, hash }: Checkpoint): boolean {
  const told = JSON.parse(payload) as { seq: number; hash: string };
  const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: pk }, format: "jwk" });
  return told.seq === seq && told.hash === hash && verify(null, Buffer.from(payload), key, Buffer.from(sig, "base64url"));
}
