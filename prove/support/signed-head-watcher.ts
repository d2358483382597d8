// Requests the signed head of a board all the time and stores every answer: in the end, all of them must be on one chain.
import { createPublicKey, verify } from "node:crypto";
import { plural } from "../../src/core/text/plural.ts";
import type { Checkpoint } from "../../src/core/log/chain-checkpoint.ts";
import { GENESIS } from "../../src/core/log/chain.ts";
import type { Change } from "../../test/support/chain.ts";
import { treeHeadAt, wrongTreeHeads } from "../../test/support/tree-heads.ts";

const PAUSE_MS = 10;

/** Totals of all witnesses of this run, for the part that sums up. */
export const heard = { served: 0, off: 0, logs: 0 };

export class Witness {
  readonly #seen = new Map<string, Checkpoint>();
  readonly #trees = new Set<string>();
  #served = 0;
  #off = 0;
  #newest = 0;
  #stopped = false;

  /** Requests until the board has ended, or until it is stopped. */
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

  /** Requests once; a refusal is not a signature. */
  async ask(url: string): Promise<void> {
    const newest = this.#newest;
    const response = await fetch(`${url}/api/checkpoint`);
    const body = (await response.json()) as Checkpoint;
    if (response.status !== 200) return;
    this.#served++;
    this.#seen.set(`${body.payload} ${body.sig}`, body);
    // An answer to a later request must be at least as new.
    if (body.seq < newest) this.#off++;
    this.#newest = Math.max(this.#newest, body.seq);
    const tree = await treeHeadAt(url);
    if (tree !== undefined) this.#trees.add(tree);
  }

  /** Signed tree heads so far. */
  get trees(): readonly string[] {
    return [...this.#trees];
  }
  /** Checkpoints so far; for a log that may end before the last of them. */
  get seen(): readonly Checkpoint[] {
    return [...this.#seen.values()];
  }

  /** Stops, compares everything with the final log, and returns the result in figures. */
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

/** The number of signed heads that are not in this log, are not signed, or were signed by more than one key. */
export function offChain(checkpoints: readonly Checkpoint[], log: readonly Change[]): number {
  const hashes = new Map(log.map(({ seq, hash }) => [seq, hash] as const)).set(0, GENESIS);
  const [pk] = checkpoints.map((one) => one.pk);
  return checkpoints.filter((one) => one.pk !== pk || hashes.get(one.seq) !== one.hash || !isSigned(one)).length;
}

function isSigned({ payload, sig, pk, seq, hash }: Checkpoint): boolean {
  const signed = JSON.parse(payload) as { seq: number; hash: string };
  const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: pk }, format: "jwk" });
  return signed.seq === seq && signed.hash === hash && verify(null, Buffer.from(payload), key, Buffer.from(sig, "base64url"));
}
