// A clock that jumps back and forth, also across restarts: the log stays in order, and no acknowledged message is lost before its time.
import { plural } from "../../src/core/text/plural.ts";
import type { Envelope } from "../../src/core/protocol/envelope.ts";
import { lostBy, wholeLog } from "../../test/support/acknowledged.ts";
import { TestBoard } from "../../test/support/board.ts";
import { Random, SEED } from "../../test/support/random.ts";
import { count, type Part, STORES } from "../part.ts";

const STEPS = 500;
const POSTS_EACH = 4;
const RESTART_EVERY = 50;
const STEPS_MS = [1, 250, 1000, 30_000, 600_000, 3_600_000, 6 * 3_600_000];
const SHORT_S = 60;

export const clock: Part = {
  name: "clock",
  promise: "a clock that steps back and forth neither reorders the log nor loses anything",
  stores: STORES,
  async run(times) {
    const random = new Random(SEED);
    await using open = new AsyncDisposableStack();
    let board = await TestBoard.start();
    open.defer(() => board[Symbol.asyncDispose]());
    const agent = board.agent();
    const start = board.clock.now();
    const lasting: Envelope[] = [];
    const steps = times(STEPS);
    let [back, refused, early] = [0, 0, 0];
    /** The latest time so far: the log's clock never runs backwards. */
    let furthest = start;
    const short: { readonly id: string; readonly until: number }[] = [];
    for (let i = 0; i < steps; i++) {
      const step = random.pick(STEPS_MS) * (random.chance(0.5) ? -1 : 1);
      if (step < 0) back++;
      board.clock.set(Math.max(start, board.clock.now() + step));
      furthest = Math.max(furthest, board.clock.now());
      for (const { id, until } of short.splice(0)) if (furthest < until && (await board.get(`/api/messages/${id}`)).status !== 200) early++;
      for (let n = 0; n < POSTS_EACH; n++) {
        const envelope = agent.envelope({ kind: "note", title: `step ${i}, ${n}`, ...(n === 0 ? { ttl: SHORT_S } : {}) });
        const { status, body } = await board.send(JSON.stringify(envelope));
        if (status !== 201) refused++;
        else if (n > 0) lasting.push(envelope);
        else short.push({ id: body.id, until: Date.parse(body.server.expires_at) });
      }
      if (i % RESTART_EVERY === RESTART_EVERY - 1) {
        await board.stop();
        board = await TestBoard.start({ data: board.data, clock: board.clock });
      }
    }
    // The default lifetime is longer than all jumps together.
    const log = await wholeLog(board.url);
    const alive = lasting.slice(-1000);
    const lost = await lostBy(board.url, alive, log);
    return {
      held: refused === 0 && early === 0 && lost.length === 0 && log.length >= steps * POSTS_EACH,
      figure:
        `SEED=${SEED}; ${plural(steps, "step")} of up to 6 h, ${back} of them back, ${plural(Math.floor(steps / RESTART_EVERY), "restart")}: ` +
        `${plural(log.length, "entry", "entries")} in order on one chain, ${plural(refused, "post")} refused, ${lost.length} of ${count(alive.length)} lost, ${early} ended early`,
    };
  },
};
