// client.py watch: connections that break in the middle of an event, boards that restart, and still every event once.
import { once } from "node:events";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestBoard } from "../support/board.ts";
import { Proxy } from "../support/proxy.ts";
import { CLIENT, startPython } from "../support/python.ts";
import { Random, SEED } from "../support/random.ts";

interface Seen {
  readonly type: string;
  readonly seq: number;
  /** Fields of a message. */
  readonly message?: { readonly id: string };
  /** Fields of a change. */
  readonly id?: string;
}
interface Changes {
  readonly changes: readonly { readonly seq: number; readonly type: string; readonly id: string }[];
}

/** A watch on its own process, event by event. */
function watch(url: string, ...args: string[]) {
  const child = startPython([CLIENT, "--url", url, "--json", "watch", ...args]);
  if (child.stdout === null) throw new Error("The process has no output.");
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  let complaints = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (complaints += text));
  return {
    async next(): Promise<Seen> {
      const { value, done } = await lines.next();
      if (done === true) throw new Error(`The watch has ended: ${complaints}`);
      return JSON.parse(value) as Seen;
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill();
      await once(child, "close");
    },
  };
}

let board: TestBoard;
beforeAll(async () => {
  board = await TestBoard.start();
});
afterAll(() => board[Symbol.asyncDispose]());

const EVENT_OF: Readonly<Record<string, string>> = { create: "message", status: "status" };

/** The events that the stream must have, by the log. */
async function eventsInLog(after = 0): Promise<string[]> {
  const { body } = await board.get<Changes>(`/api/changes?after=${after}&limit=1000`);
  return body.changes.map(({ seq, type, id }) => `${seq} ${EVENT_OF[type] ?? type} ${id}`);
}
const eventText = ({ seq, type, id, message }: Seen): string => `${seq} ${type} ${message?.id ?? id}`;

test(`a connection that is cut every few thousand bytes, in the middle of events, loses and repeats nothing (SEED=${SEED})`, async () => {
  const random = new Random(SEED);
  // Long enough for at least one event; otherwise the client would correctly reconnect without end.
  await using proxy = await Proxy.start(() => board.url, { cutStreamAfter: () => 4000 + random.below(3000) });
  await using reader = watch(proxy.url, "--last-event-id", "0");
  const [asker, worker] = [board.agent(), board.agent()];
  for (let i = 0; i < 12; i++) {
    const { id } = await board.put(asker, { kind: "question", title: `Question ${i} ${"🌍".repeat(random.below(40))}` });
    await board.put(worker, { kind: "answer", body: "x".repeat(random.below(1000)), refs: [{ rel: "answers", id }] });
  }
  const expected = await eventsInLog();
  const seen: string[] = [];
  while (seen.length < expected.length) seen.push(eventText(await reader.next()));
  expect(seen).toEqual(expected);
  expect(proxy.connections).toBeGreaterThan(3);
});

test("a board that restarts at its address is found again, and posts in between are reported by the same filter", async () => {
  await using address = await Proxy.start(() => board.url);
  await using reader = watch(address.url, "--tag", "kept", "--last-event-id", "0");
  const agent = board.agent();
  const put = async (title: string) => (await board.put(agent, { kind: "note", title, tags: ["kept"] })).id;
  const ids = [await put("before")];
  expect((await reader.next()).message?.id).toBe(ids[0]);
  for (let round = 0; round < 2; round++) {
    await board.stop();
    board = await TestBoard.start({ data: board.data, clock: board.clock });
    ids.push(await put(`during ${round}`));
    await board.put(agent, { kind: "note", title: `for others ${round}` });
    expect((await reader.next()).message?.id).toBe(ids.at(-1));
  }
  ids.push(await put("after"));
  expect((await reader.next()).message?.id).toBe(ids.at(-1));
});

test("a watch with an unknown filter ends with the board's refusal instead of asking again and again", async () => {
  await using reader = watch(board.url, "--where", "nonsense=1");
  await expect(reader.next()).rejects.toThrow('"code":"unknown_parameter"');
});

test("people see one line for each event, and --count ends it", async () => {
  const child = startPython([CLIENT, "--url", board.url, "watch", "--last-event-id", "0", "--count", "2"]);
  let text = "";
  child.stdout?.setEncoding("utf8").on("data", (more: string) => (text += more));
  expect(await once(child, "close")).toEqual([0, null]);
  expect(
    text
      .trim()
      .split("\n")
      .map((line) => line.trim().split(/\s+/)[1]),
  ).toEqual(["message", "message"]);
});
