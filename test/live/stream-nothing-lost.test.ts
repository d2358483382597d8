// Nothing lost, nothing repeated: readers that are dropped, boards that are killed, and crowds that arrive in the middle of a flood.
import { expect, test } from "vitest";
import { wholeLog } from "../support/acknowledged.ts";
import { Agent, TEST_BITS } from "../support/agent.ts";
import { type PostBody, TestBoard } from "../support/board.ts";
import { openStream } from "../support/event-stream.ts";
import { eventually } from "../support/eventually.ts";
import { act, dropAll, Follower, eventText } from "../support/follower.ts";
import { BoardProcess, emptyDirectory } from "../support/process.ts";
import { tries } from "../support/random.ts";

const KILLS = tries(5, 2);
const DROPS = 10;

test(`a reader that is dropped ${KILLS * DROPS} times, also by a board that is killed ${KILLS} times, has the whole log at the end and nothing twice`, async () => {
  const data = emptyDirectory();
  const flags = ["--pow-bits", String(TEST_BITS), "--rate-limits", "off", "--log-level", "warn"];
  let board = await BoardProcess.serve(data, flags);
  const url = () => board.url;
  let going = true;
  let taken = 0;
  const posting = Array.from({ length: 3 }, () =>
    act(
      new Agent(),
      url,
      () => going,
      () => taken++,
    ),
  );
  const everything = new Follower("/api/stream");
  const even = new Follower("/api/stream?tag=even&kind=note");
  const followers = [everything, even];
  const following = followers.map((one) => one.follow(url));
  try {
    for (let kill = 1; kill <= KILLS; kill++) {
      await dropAll(followers, DROPS);
      await eventually("enough that could be lost", () => (taken >= kill * 25 ? true : undefined));
      await board.kill("SIGKILL");
      board = await BoardProcess.serve(data, flags);
    }
    const before = taken;
    await eventually("more after the last kill", () => (taken >= before + 25 ? true : undefined));
    going = false;
    await Promise.all(posting);
    const log = await wholeLog(board.url);
    const head = log.at(-1)?.seq ?? 0;
    // If the last entries do not match a filter, its reader gets nothing of them; when it comes back, it learns the newest seq.
    for (const one of followers) one.drop();
    await eventually("both readers at the head", () => (followers.every((one) => one.last >= head) ? true : undefined));
    for (const one of followers) one.stop();
    await Promise.all(following);
    expect(log.length).toBeGreaterThan(KILLS * 20);
    expect(everything.drops).toBeGreaterThanOrEqual(KILLS * DROPS);
    expect(everything.got).toEqual(log.map(eventText));
    const notes = await Promise.all(
      log
        .filter(({ type }) => type === "create")
        .map(async ({ id }) => (await (await fetch(`${board.url}/api/messages/${id}`)).json()) as PostBody),
    );
    const matching = notes
      .filter(({ meta }) => meta.kind === "note" && meta.tags.includes("even"))
      .map(({ id, seq }) => `${seq} message ${id}`);
    expect(even.got).toEqual(matching);
  } finally {
    going = false;
    for (const one of followers) one.stop();
    await Promise.allSettled([...posting, ...following]);
    await board[Symbol.asyncDispose]();
  }
});

test("readers that connect in the middle of a flood miss nothing and get nothing twice, wherever they start", async () => {
  await using board = await TestBoard.start();
  let going = true;
  const posting = Array.from({ length: 4 }, () =>
    act(
      board.agent(),
      () => board.url,
      () => going,
    ),
  );
  const readers: { from: number; got: number[]; close: () => PromiseLike<void>; reading: Promise<void> }[] = [];
  for (let i = 0; i < tries(60, 24); i++) {
    const { latest_seq: head } = (await board.get<{ latest_seq: number }>("/api/messages?limit=1")).body;
    const fresh = i % 3 === 0;
    const from = i % 3 === 1 ? Math.max(0, head - 20) : head;
    const stream = await openStream(board, "/api/stream", fresh ? {} : { "last-event-id": String(from) });
    const hello = await stream.next("hello");
    const one = {
      from: fresh ? (hello.data as { seq: number }).seq : from,
      got: [] as number[],
      close: () => stream[Symbol.asyncDispose](),
      reading: Promise.resolve(),
    };
    one.reading = (async () => {
      for (let frame = await stream.take(); frame !== undefined; frame = await stream.take())
        if (frame.event !== "live") one.got.push(Number(frame.id));
    })().catch(() => {});
    readers.push(one);
  }
  going = false;
  await Promise.all(posting);
  const { latest_seq: head } = (await board.get<{ latest_seq: number }>("/api/messages?limit=1")).body;
  await eventually("every reader at the head", () =>
    readers.every(({ got, from }) => from === head || got.at(-1) === head) ? true : undefined,
  );
  for (const { from, got, close, reading } of readers) {
    expect(got).toEqual(Array.from({ length: head - from }, (_, i) => from + 1 + i));
    await close();
    await reading;
  }
});
