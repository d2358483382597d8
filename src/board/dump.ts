// Everything that is live, as JSON lines, read a piece at a time and only as fast as somebody takes it.
import { iso } from "../core/protocol/time.ts";
import type { Clock } from "../ports/clock.ts";
import type { Dumped, DumpReads } from "../ports/dump.ts";
import type { Store } from "../ports/store.ts";
import { nextTurn } from "./turn.ts";

export type Dump = () => AsyncIterable<string>;

export function dumper(store: DumpReads & Pick<Store, "head">, clock: Clock): Dump {
  return async function* () {
    // Up to where the log stands now: on a busy board it would otherwise never end for a slow reader.
    const { seq: upTo } = await store.head();
    for (let after = 0; ;) {
      const piece = await store.dump(after, upTo, clock.now());
      const last = piece.at(-1);
      if (last === undefined) return;
      yield piece.map(lineOf).join("");
      after = last.seq;
      await nextTurn();
    }
  };
}

function lineOf({ id, seq, receivedAt, expiresAt, assisted, payload, sig, nonce }: Dumped): string {
  return `${JSON.stringify({ id, seq, received_at: iso(receivedAt), expires_at: iso(expiresAt), assisted, payload, sig, nonce })}\n`;
}
