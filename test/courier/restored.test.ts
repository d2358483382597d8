// A courier notices that its board was restored from an older copy, even if that board has grown past its position: nothing is lost or
// delivered twice.
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeBackup } from "../../src/cli/operate/backup.ts";
import { MINUTE_MS } from "../../src/core/durations.ts";
import type { Agent } from "../support/agent.ts";
import { acknowledge } from "../support/acks.ts";
import { TestBoard } from "../support/board.ts";
import { courierFile, Receiver, SECRET, TestCourier } from "../support/courier.ts";
import { eventually } from "../support/eventually.ts";
import { configAt } from "../support/operator.ts";
import { databaseFor, onPostgres } from "../support/postgres/database.ts";
import { emptyDirectory } from "../support/process.ts";
import { runHere } from "../support/program.ts";
import { Proxy } from "../support/proxy.ts";

/** An address with a board behind it, which may be replaced by a copy. */
class Restorable {
  board: TestBoard;
  readonly me: Agent;
  readonly other: Agent;
  readonly #backup = join(emptyDirectory(), "backup");
  #there: string;

  private constructor(board: TestBoard) {
    [this.board, this.#there] = [board, board.url];
    [this.me, this.other] = [board.agent(), board.agent()];
  }

  static async start(): Promise<Restorable> {
    return new Restorable(await TestBoard.start());
  }

  readonly url = (): string => this.#there;

  letter(title: string): Promise<{ id: string; seq: number }> {
    return this.board.put(this.other, { kind: "note", title, to: this.me.id });
  }

  filler(n: number): Promise<{ id: string; seq: number }> {
    return this.board.put(this.other, { kind: "note", title: `for everybody, ${n}` });
  }

  backUp(): Promise<unknown> {
    return makeBackup(configAt(this.board.data), this.#backup, true);
  }

  /** While it is restored, nobody reaches the board. */
  async restore(): Promise<void> {
    const { clock } = this.board;
    this.#there = "http://127.0.0.1:1";
    await this.board.stop();
    clock.advance(MINUTE_MS);
    const data = emptyDirectory();
    const database = onPostgres() ? ["--database-url", await databaseFor(data)] : [];
    const restored = await runHere(["operate", "restore-backup", this.#backup, "--data", data, ...database, "--yes"]);
    expect(restored.code, restored.stderr).toBe(0);
    this.board = await TestBoard.start({ data, clock });
  }

  comeBack(): void {
    this.#there = this.board.url;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.board[Symbol.asyncDispose]();
  }
}

const file = (world: Restorable, url: string, receiver: Receiver, from: string, more: object = {}): string => {
  const hook = { adapter: "webhook", url: receiver.url, secret: SECRET, allow_private: true, retry_s: 0.01, retry_most_s: 0.05, ...more };
  return courierFile({ board: url, agent: world.me.id, from, deliver: [hook] });
};
const ids = (receiver: Receiver): unknown[] => receiver.received.map(({ headers }) => headers["webhook-id"]);
const delivered = (running: TestCourier, { seq }: { readonly seq: number }) =>
  eventually(`seq ${seq}`, () => (running.said.includes(`up to seq ${seq}\n`) ? true : undefined));

test("that runs meanwhile reads again from where both logs agree, and delivers what is new, also a change", async () => {
  await using world = await Restorable.start();
  await using proxy = await Proxy.start(world.url);
  await using receiver = await Receiver.start();
  const path = file(world, proxy.url, receiver, "all", { reasons: ["addressed", "ack"], batch: 2 });
  const { me, other } = world;
  await using running = new TestCourier(path, me.id);
  const task = await world.board.put(me, { kind: "task", title: "do it", to: other.id });
  const early = [await world.letter("one"), await world.letter("two"), await world.letter("three")];
  await delivered(running, early[2]!);
  await world.backUp();
  const lost = await world.letter("is lost");
  await delivered(running, lost);
  const again = other.envelope({ kind: "note", title: "comes again", to: me.id });
  const { body: first } = await world.board.send(JSON.stringify(again));
  await delivered(running, first);

  await world.restore();
  const fresh = await world.letter("new");
  expect(fresh.seq).toBe(lost.seq);
  const { body: second } = await world.board.send(JSON.stringify(again));
  expect(second.id).toBe(first.id);
  await acknowledge(world.board, other, { acted: [task.id] });
  const last = await world.letter("last");
  expect(last.seq).toBeGreaterThan(first.seq);
  world.comeBack();
  await delivered(running, last);
  const ack = expect.stringMatching(new RegExp(`^${task.id}[.]`)) as unknown;
  expect(ids(receiver)).toEqual([...early.map(({ id }) => id), lost.id, first.id, fresh.id, ack, last.id]);
  expect(running.said).toContain(`reading again after seq ${early[2]!.seq}`);
  const after = await world.letter("as ever");
  await delivered(running, after);
  expect(ids(receiver).at(-1)).toBe(after.id);
  expect(running.said.match(/reading again/g)).toHaveLength(1);
});

test("that begins after the copy delivers nothing from before it began, even if the board is shorter now", async () => {
  await using world = await Restorable.start();
  await using proxy = await Proxy.start(world.url);
  await using receiver = await Receiver.start();
  const path = file(world, proxy.url, receiver, "now");
  const old = await world.letter("before it began");
  await world.backUp();
  world.board.clock.advance(MINUTE_MS);
  for (let n = 0; n < 5; n++) await world.filler(n);
  const { id } = await (async () => {
    await using running = new TestCourier(path, world.me.id);
    await eventually("begun", () => (running.said.includes("begins after") ? true : undefined));
    const one = await world.letter("one");
    await delivered(running, one);
    return one;
  })();
  await world.restore();
  const fresh = await world.letter("new");
  world.comeBack();
  await using running = new TestCourier(path, world.me.id);
  await delivered(running, fresh);
  const last = await world.letter("last");
  await delivered(running, last);
  expect(ids(receiver)).toEqual([id, fresh.id, last.id]);
  expect(ids(receiver)).not.toContain(old.id);
});

test("that read a page just before the board went away reads it again, since the board may have come back with another log", async () => {
  await using world = await Restorable.start();
  await using receiver = await Receiver.start();
  let isCut = false;
  await using proxy = await Proxy.start(world.url, {
    change: (path, body) => {
      isCut ||= path.startsWith("/api/inbox") && body.includes("is lost");
      return body;
    },
    instead: ({ url = "" }, response) => {
      const isNow = isCut && url.startsWith("/api/changes");
      if (isNow) response.destroy();
      return isNow;
    },
  });
  await using running = new TestCourier(file(world, proxy.url, receiver, "all"), world.me.id);
  const first = await world.letter("one");
  await delivered(running, first);
  await world.filler(0);
  await world.backUp();
  for (const n of [1, 2]) await world.filler(n);
  const lost = await world.letter("is lost");
  await eventually("read, and cut off", () => (isCut && running.said.includes("does not answer") ? true : undefined));

  // The copy is newer than what was delivered, and older than what was read.
  await world.restore();
  const fresh = await world.letter("new");
  expect(fresh.seq).toBeLessThan(lost.seq);
  for (const n of [3, 4, 5]) await world.filler(n);
  world.comeBack();
  isCut = false;
  const last = await world.letter("last");
  expect(last.seq).toBeGreaterThan(lost.seq);
  await delivered(running, last);
  expect(ids(receiver)).toEqual([first.id, fresh.id, last.id]);
});
