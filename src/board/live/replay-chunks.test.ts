// The past on a real log: a crowd of readers costs one reading, nothing is sent that is older than the log, and nothing that was removed.
import { expect, test } from "vitest";
import { Agent } from "../../../test/support/agent.ts";
import { BareBoard } from "../../../test/support/bare-board.ts";
import { ackAct, CountedWords } from "../../../test/support/hub-world.ts";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import { messageId } from "../../core/protocol/message-and-agent-ids.ts";
import { parseQuery } from "../../core/search/query.ts";
import { atTheCostOf } from "../../ports/cpu-slices.ts";
import type { Store } from "../../ports/store.ts";
import { liveFilter, type LiveFilter } from "./filter.ts";
import { Hub } from "./hub.ts";
import type { LiveEvent } from "./log-event.ts";
import { Backlog } from "./replay-chunks.ts";
import { followLog, type Sink } from "./replay.ts";
import { MatchedMessages } from "./text-filter-matches.ts";
import { Voters } from "./voters.ts";

const PK = "A".repeat(43);
const WEEK_MS = 7 * 86_400_000;
const TEXT = { query: undefined, near: undefined, except: undefined, vectorOf: () => new Int8Array() };

class World implements Disposable {
  readonly board = new BareBoard();
  readonly clock = new ManualClock();
  readonly hub: Hub;
  readonly backlog: Backlog;
  readonly store: Store;
  readonly words = new CountedWords();
  rendered = 0;
  /** Called when messages have been read and before anything is made of them. */
  found = (): void => {};

  constructor() {
    const { reader, reads } = this.board;
    this.store = {
      entries: reads.entries,
      findAll: async (ids: readonly string[], now: number) => {
        const found = await reader.findAll(ids, now);
        this.found();
        return found;
      },
      verifiers: reads.verifiers,
      firstSeen: reads.firstSeen,
      ack: (id: string) => reads.ack(id),
      head: async () => this.board.head(),
      oldestSeq: reads.oldestSeq,
    } as Partial<Store> as Store;
    const render = ({ raw }: { raw: { payload: string } }): string => {
      this.rendered++;
      return raw.payload;
    };
    const eventParts = { store: this.store, render, words: this.words, voters: new Voters(this.store) };
    this.hub = new Hub({ ...eventParts, clock: this.clock, report: { appended() {}, failed() {} }, writing: () => false }, 0);
    this.backlog = new Backlog({ store: this.store, clock: this.clock, hub: this.hub, eventParts });
  }

  post(chars: number): void {
    const title = `${this.board.head().seq}`.padEnd(chars, "x");
    const said = this.board.post(JSON.stringify({ v: 1, pk: PK, ts: 0, kind: "note", title }), this.clock.now());
    if (said !== "created") throw new Error(said);
    this.hub.hint(this.board.head().seq);
  }

  /** A post of other fields; its id. */
  postAs(pk: string, fields: object): string {
    const text = JSON.stringify({ v: 1, pk, ts: 0, ...fields });
    expect(this.board.post(text, this.clock.now())).toBe("created");
    this.hub.hint(this.board.head().seq);
    return messageId(text);
  }

  filter(): LiveFilter {
    return liveFilter("", () => [], TEXT, this.clock);
  }

  byWord(word: string): LiveFilter {
    return liveFilter(word, () => [], { ...TEXT, query: parseQuery(word, "all") }, this.clock);
  }

  /** A reader from the beginning of the log, which takes what it is sent at once. `known`: what matches a filter by text already. */
  async read(filter = this.filter(), known?: MatchedMessages): Promise<readonly (readonly LiveEvent[])[]> {
    const chunks: (readonly LiveEvent[])[] = [];
    const sink: Sink = {
      control() {},
      deliver: (events) => void chunks.push(events),
      end() {},
      ready: async () => true,
    };
    const { stop, done } = followLog(this, { filter, start: 0, known, greeting: {} }, sink);
    await done;
    stop();
    return chunks;
  }

  [Symbol.dispose](): void {
    this.hub.close();
    this.board[Symbol.dispose]();
  }
}

test("a crowd that reads the past together costs one reading of it, in pieces that all of them share", async () => {
  using world = new World();
  for (let i = 0; i < 40; i++) world.post(20_000);
  const [first = [], ...others] = await Promise.all(Array.from({ length: 50 }, () => world.read()));
  expect(first.flat().map(({ seq }) => seq)).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
  for (const one of others) {
    expect(one.length).toBe(first.length);
    for (const [i, events] of one.entries()) expect(events).toBe(first[i]);
  }
  // What did not fit one piece is made again for the next.
  expect(world.rendered).toBeLessThan(2 * 40);
  for (const events of first) expect(events.reduce((sum, { json }) => sum + json.length, 0)).toBeLessThanOrEqual(64 * 1024);
});

test("a message larger than a piece comes by itself", async () => {
  using world = new World();
  for (let i = 0; i < 5; i++) world.post(100_000);
  expect((await world.read()).map((events) => events.map(({ seq }) => seq))).toEqual([[1], [2], [3], [4], [5]]);
});

test("a reader that comes a moment later shares what was read; once the log has moved or time has passed, it is read again", async () => {
  using world = new World();
  for (let i = 0; i < 3; i++) world.post(10);
  await world.read();
  expect(world.rendered).toBe(3);
  await world.read();
  expect(world.rendered).toBe(3);
  world.post(10);
  expect((await world.read()).flat().length).toBe(4);
  expect(world.rendered).toBe(7);
  world.clock.advance(1000);
  await world.read();
  expect(world.rendered).toBe(11);
});

test("a removed message is sent to nobody, neither from the cache nor by a read that had begun", async () => {
  using world = new World();
  world.post(10);
  expect((await world.read()).flat().length).toBe(1);
  world.found = () => {
    world.found = () => {};
    world.board.sweep(world.clock.now() + 2 * WEEK_MS);
    world.backlog.forget();
  };
  world.clock.advance(1000);
  expect((await world.read()).flat()).toEqual([]);
  world.backlog.forget();
  expect((await world.read()).flat()).toEqual([]);
});

test("a message that ends while the past is read is not sent as if it were still there", async () => {
  using world = new World();
  world.post(10);
  world.found = () => world.clock.advance(2 * WEEK_MS);
  expect((await world.read()).flat()).toEqual([]);
});

test("a message that is withdrawn while the past is read is not sent as if it were still there", async () => {
  using world = new World();
  world.post(10);
  world.found = () => {
    world.found = () => {};
    const retraction = JSON.stringify({ v: 1, pk: PK, ts: 0, kind: "retraction", data: { scope: "all" } });
    expect(world.board.post(retraction, world.clock.now())).toBe("created");
    world.hub.hint(2);
  };
  expect((await world.read()).flat().map(({ seq }) => seq)).toEqual([2]);
});

test("a reader of the past pauses between chunks, as any other long work of its caller does", async () => {
  using world = new World();
  for (let n = 0; n < 8; n++) world.post(40_000);
  let pauses = 0;
  const chunks = await atTheCostOf({ lane: "reader", spend() {}, rest: () => (pauses++, 0) }, () => world.read());
  expect(chunks.flat()).toHaveLength(8);
  expect(pauses).toBeGreaterThanOrEqual(chunks.length);
});

test("a reader who searches the past gets acknowledgements of messages that matched; only messages make words, each once in a piece", async () => {
  using world = new World();
  const [reader, voter] = [new Agent(() => 0), new Agent(() => 0)];
  const ids = ["needle", "hay"].map((title) => world.postAs(PK, { kind: "finding", title, to: reader.id }));
  const vote = (rel: string, turn: number): void => {
    for (const id of ids) world.postAs(voter.pk, { kind: "verification", body: `${rel} ${turn}`, refs: [{ rel, id }] });
  };
  for (const turn of [0, 1]) {
    for (const one of ids) world.board.run([ackAct(reader, [one], turn)], world.clock.now());
    vote("verifies", turn);
    vote("refutes", turn);
  }
  const all = (await world.read()).flat();
  const known = new MatchedMessages();
  known.add(1);
  const heard = (await world.read(world.byWord("needle"), known)).flat();
  // The message, and its status and acknowledgements: those of every other pair.
  const needles = all.filter(({ name, id, json }) => id === ids[0] || (name === "ack" && json.includes(ids[0]!)));
  expect(needles.filter(({ name }) => name === "ack")).toHaveLength(2);
  expect(needles.length).toBeGreaterThan(5);
  expect(heard.map(({ seq }) => seq)).toEqual(needles.map(({ seq }) => seq));
  // All of it was read at once.
  expect(world.words.documents).toBe(all.filter(({ name }) => name === "message").length);
});

test("a reader who searches the past pays for the words of what it reads", async () => {
  using world = new World();
  world.post(10);
  const steps: string[] = [];
  world.words.onDocument = () => void steps.push("words");
  const share = { lane: "reader", spend: () => {}, owe: () => void steps.push("owed"), rest: () => 0 };
  await atTheCostOf(share, () => world.read(world.byWord("x")));
  expect(world.words.documents).toBe(1);
  expect(steps.slice(steps.indexOf("words"))).toEqual(["words", "owed"]);
});
