import { array, asyncProperty, assert, constantFrom, nat, record } from "fast-check";
import { expect, test } from "vitest";
import { AGENTS } from "../../../test/support/acts.ts";
import { BareBoard } from "../../../test/support/bare-board.ts";
import { tries } from "../../../test/support/random.ts";
import { SqlReads } from "../../adapters/sql/reads.ts";
import { SqliteRows } from "../../adapters/sqlite/statement-runner.ts";
import { messageId } from "../../core/protocol/message-and-agent-ids.ts";
import { ThreadOrders } from "./thread-order-cache.ts";

const START = 1_000_000_000_000;
const ROOT_TEXT = JSON.stringify({ v: 1, pk: AGENTS[0]!.pk, ts: 1, kind: "task", title: "root", ttl: "10m" });
const ROOT = messageId(ROOT_TEXT);

const steps = array(record({ act: constantFrom("root", "reply", "reply", "reply", "reply", "retract", "wait"), n: nat(50) }), {
  maxLength: 30,
});

test("a thread read again and again shows the same as one read for the first time, whatever came and went in between", async () => {
  await assert(
    asyncProperty(steps, async (acts) => {
      using board = new BareBoard();
      const reads = new SqlReads(new SqliteRows(board.db));
      const orders = new ThreadOrders(reads);
      // The root may come after what hangs on it.
      const ids = [ROOT];
      let now = START;
      for (const [i, { act, n }] of acts.entries()) {
        const id = ids[n % ids.length]!;
        const pk = AGENTS[n % 2]!.pk;
        const ref = { rel: act === "retract" ? "retracts" : "reply", id };
        const text = JSON.stringify({
          v: 1,
          pk,
          ts: i,
          kind: act === "retract" ? "retraction" : "note",
          title: "x",
          ttl: `${1 + (n % 9)}m`,
          refs: [ref],
        });
        if (act === "wait") now += n * 4000;
        else if (act === "root") board.post(ROOT_TEXT, now);
        else if (board.post(text, now) === "created" && act === "reply") ids.push(messageId(text));
        // Sometimes the sweep is late.
        if (n % 3 !== 0) board.sweep(now);
        const again = await orders.current(ROOT, now);
        const fresh = await new ThreadOrders(reads).current(ROOT, now);
        expect({ ...again, asOf: 0 }).toEqual({ ...fresh, asOf: 0 });
      }
    }),
    { numRuns: tries(60, 30) },
  );
});

test("readers who come at once share one reading, and a failed one is tried again", async () => {
  let reads = 0;
  let broken = true;
  const orders = new ThreadOrders({
    threadExtent: async () => ({ messages: 1, lastSeq: 1 }),
    branches: async () => {
      reads++;
      if (broken) throw new Error("disk");
      return [{ seq: 1, parent: null, author: AGENTS[0]!.id, expiresAt: START, isAwaited: true }];
    },
  });
  await expect(orders.current(ROOT, 0)).rejects.toThrow("disk");
  broken = false;
  const all = await Promise.all(Array.from({ length: 5 }, () => orders.current(ROOT, 0)));
  expect(new Set(all).size).toBe(1);
  expect(reads).toBe(2);
});
