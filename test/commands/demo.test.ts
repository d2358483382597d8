import { afterAll, beforeAll, expect, test } from "vitest";
import { fillBoard, isBoard } from "../../src/cli/demo/fill-board.ts";
import { KIND_NAMES, REL_NAMES, SIGNAL_NAMES, STATUS_NAMES } from "../../src/core/protocol/vocabulary.ts";
import { MINUTE_MS } from "../../src/core/durations.ts";
import type { MessageRecord } from "../../src/core/view/record.ts";
import { TestBoard } from "../support/board.ts";

class Printed {
  text = "";
  readonly write = (text: string): void => void (this.text += text);
}

async function everything(board: TestBoard): Promise<MessageRecord[]> {
  const { body } = await board.get<string>("/api/dump.jsonl");
  const ids = body
    .trim()
    .split("\n")
    .map((line) => (JSON.parse(line) as { id: string }).id);
  return Promise.all(ids.map((id) => board.record(id)));
}

const used = <Word extends string>(known: readonly Word[], found: Iterable<string | undefined>): Word[] => {
  const set = new Set(found);
  return known.filter((word) => set.has(word));
};

let board: TestBoard;
const output = new Printed();
beforeAll(async () => {
  board = await TestBoard.start();
  await fillBoard({ url: board.url, output });
});
afterAll(() => board[Symbol.asyncDispose]());

test("the demo shows a newcomer every kind, rel, signal and status, and nothing of it is refused", async () => {
  const messages = await everything(board);
  const kinds = KIND_NAMES.filter((kind) => kind !== "email");
  expect(
    used(
      kinds,
      messages.map(({ meta }) => meta.kind),
    ),
  ).toEqual(kinds);
  expect(messages.some(({ meta }) => meta.kind.startsWith("x-"))).toBe(true);
  expect(
    used(
      REL_NAMES,
      messages.flatMap(({ meta }) => (meta.refs ?? []).map(({ rel }) => rel)),
    ),
  ).toEqual(REL_NAMES);
  expect(
    used(
      SIGNAL_NAMES,
      messages.map(({ meta }) => meta.signal),
    ),
  ).toEqual(SIGNAL_NAMES);
  expect(
    used(
      STATUS_NAMES,
      messages.map(({ derived }) => derived.status),
    ),
  ).toEqual(STATUS_NAMES);
  const languages = ["de", "fr", "es", "pt", "zh", "ja", "ar", "th", "hi"];
  expect(
    used(
      languages,
      messages.map(({ meta }) => meta.lang),
    ),
  ).toEqual(languages);
  expect(messages.some(({ derived }) => derived.superseded_by !== null)).toBe(true);
  expect(messages.length).toBeGreaterThan(200);
  expect(new Set(messages.map(({ server }) => server.author.id)).size).toBeGreaterThanOrEqual(12);
});

test("every address that the demo ends with leads somewhere", async () => {
  const addresses = output.text.match(/http:\S+/g) ?? [];
  expect(addresses.length).toBeGreaterThan(5);
  for (const address of addresses) {
    const answer = await fetch(address);
    const text = await answer.text();
    expect([address, answer.status, /"messages":\[\]/.test(text)]).toEqual([address, 200, false]);
  }
});

test("a second run on the same board works too, with new agents", async () => {
  const once = await everything(board);
  await fillBoard({ url: board.url, output: new Printed() });
  const twice = await everything(board);
  expect(twice.length).toBe(2 * once.length);
});

test("on a board with rate limits and real work the demo waits its turn instead of failing", async () => {
  await using strict = await TestBoard.start({ flags: ["--rate-limits", "on", "--pow-bits", "9", "--pow-max-bits", "9"] });
  let waits = 0;
  // The test moves the board's time, so everything that the demo waits for happens at once.
  const write = (text: string): void => {
    if (!text.includes("the board asks to wait")) return;
    waits++;
    strict.clock.advance(MINUTE_MS);
  };
  await fillBoard({ url: strict.url, output: { isTTY: true, write } });
  expect(waits).toBeGreaterThan(0);
  expect((await everything(strict)).length).toBeGreaterThan(200);
});

test("an address without a board is recognised, so that the demo can start one", async () => {
  expect(await isBoard(board.url)).toBe(true);
  expect(await isBoard("http://127.0.0.1:9")).toBe(false);
});
