// Expired means gone: searches for a word that occurs in every part of a message, on every surface, before and after the message expires.
import { plural } from "../../src/core/text/plural.ts";
import type { Agent } from "../../test/support/agent.ts";
import { TestBoard } from "../../test/support/board.ts";
import { Canary, type Whereabouts } from "../../test/support/canary.ts";
import { type Part, STORES } from "../part.ts";

const ROUNDS = 10;
const TTL_S = 60;
const GONE_AFTER_MS = 1000;

export const expired: Part = {
  name: "expired",
  promise: "expired means gone: no surface shows it 1 s after its time, sweeper off included",
  stores: STORES,
  async run(times) {
    const rounds = times(ROUNDS);
    const hidden = new Set<string>();
    const late = new Set<string>();
    let asked = 0;
    for (const sweeps of [true, false]) {
      await using open = new AsyncDisposableStack();
      let board = await TestBoard.start();
      open.defer(() => board[Symbol.asyncDispose]());
      const { clock } = board;
      const [author, addressee] = [board.agent(), board.agent()];
      for (let round = 0; round < rounds; round++) {
        const canary = new Canary(`zqx${sweeps ? "swept" : "unswept"}${round}`);
        const { at, expiresAt } = await posted(board, canary, author, addressee.id);
        const before = await canary.everywhere(board.url, at);
        for (const [surface, answer] of before) if (!canary.content.test(answer)) hidden.add(surface);
        if (!sweeps) board = await restarted(board, ["--read-only", "on"]);
        clock.set(expiresAt + GONE_AFTER_MS);
        const after = await canary.everywhere(board.url, at);
        for (const [surface, answer] of after) if (canary.content.test(answer)) late.add(surface);
        asked += after.size;
        if (!sweeps) board = await restarted(board, []);
      }
    }
    for (const surface of [...late, ...hidden]) console.log(surface);
    return {
      held: late.size === 0 && hidden.size === 0,
      figure: `${plural(2 * rounds, "message")}, half of them with the sweeper off: of ${plural(asked, "question")} 1 s after, ${plural(late.size, "surface")} still showed one; ${hidden.size} had not shown it before`,
    };
  },
};

async function posted(board: TestBoard, canary: Canary, author: Agent, addressee: string): Promise<{ at: Whereabouts; expiresAt: number }> {
  const root = await board.put(author, { kind: "question", title: `What is ${canary.word.length}?` });
  const message = await board.put(author, { ...canary.fields(root.id, addressee), ttl: TTL_S }, canary.blobs);
  for (const fields of canary.companions) await board.put(author, { ...fields, ttl: TTL_S });
  return {
    at: { message: message.id, root: root.id, author: author.id, addressee, afterSeq: root.seq - 1 },
    expiresAt: Date.parse(message.server.expires_at),
  };
}

async function restarted(board: TestBoard, flags: readonly string[]): Promise<TestBoard> {
  await board.stop();
  return TestBoard.start({ data: board.data, clock: board.clock, flags });
}
