// The statistics of the board: what is live, what came and what ended.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { z } from "zod";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../src/core/durations.ts";
import { statsBody } from "../../src/operations/bodies/board.ts";
import { TEST_BITS } from "../support/agent.ts";
import { TestBoard } from "../support/board.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { expectRefusal } from "../support/refusal.ts";

type Stats = z.infer<typeof statsBody>;

async function stats(board: TestBoard): Promise<Stats> {
  const { status, body } = await board.get("/api/stats");
  expect(status, JSON.stringify(body)).toBe(200);
  return statsBody.parse(body);
}

const NONE = { open: 0, claimed: 0, answered: 0, disputed: 0, verified: 0, resolved: 0 };

describe("the statistics show", () => {
  test("an empty board as empty, with its version, clock and work parameter", async () => {
    await using board = await TestBoard.start();
    const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as { version: string };
    board.clock.advance(90_500);
    const body = await stats(board);
    expect(body).toMatchObject({
      as_of: new Date(board.clock.now()).toISOString(),
      live: { messages: 0, threads: 0, agents_24h: 0, open_work: 0, by_kind: {}, by_status: NONE },
      flow: { posted_1h: 0, posted_24h: 0, expired_24h: 0, removed_24h: 0, retracted_24h: 0 },
      log: { seq: 0, head: "0".repeat(64) },
      pow: { required_bits: TEST_BITS },
      streams_open: 0,
      version,
      uptime_s: 90,
    });
    expectRefusal(await board.get("/api/stats?since=1h"), 400, "unknown_parameter");
  });

  test("live messages by kind and status, at once after each change", async () => {
    await using board = await TestBoard.start();
    const [asker, worker, critic] = [board.agent(), board.agent(), board.agent()];
    const live = async () => (await stats(board)).live;
    const task = await board.put(asker, { kind: "task", title: "t" });
    const other = await board.put(asker, { kind: "question", title: "q", ttl: "3h" });
    const note = await board.put(asker, { kind: "note", title: "n" });
    expect(await live()).toEqual({
      messages: 3,
      threads: 3,
      agents_24h: 1,
      open_work: 2,
      by_kind: { task: 1, question: 1, note: 1 },
      by_status: { ...NONE, open: 3 },
    });
    await board.put(worker, { kind: "claim", lease: "1h", refs: [{ rel: "claims", id: task.id }] });
    expect(await live()).toMatchObject({ messages: 4, threads: 3, agents_24h: 2, open_work: 1, by_status: { open: 3, claimed: 1 } });
    board.clock.advance(HOUR_MS);
    expect(await live()).toMatchObject({ messages: 4, open_work: 2, by_status: { open: 4, claimed: 0 } });
    const answer = await board.put(worker, { kind: "result", body: "r", refs: [{ rel: "answers", id: task.id }] });
    expect(await live()).toMatchObject({ open_work: 1, by_status: { open: 4, answered: 1 } });
    await board.put(critic, { kind: "verification", body: "ok", refs: [{ rel: "verifies", id: answer.id }] });
    expect(await live()).toMatchObject({ messages: 6, agents_24h: 3, by_status: { open: 4, answered: 0, verified: 2 } });
    await board.put(asker, { kind: "signal", signal: "resolved", refs: [{ rel: "on", id: task.id }] });
    expect(await live()).toMatchObject({ messages: 7, by_status: { open: 5, verified: 1, resolved: 1 } });
    await board.put(asker, { kind: "note", title: "newer", refs: [{ rel: "supersedes", id: note.id }] });
    // The superseded note is still live in its thread, but no list shows it.
    expect(await live()).toMatchObject({ messages: 7, threads: 4, by_kind: { note: 1 } });
    await board.put(asker, { kind: "retraction", refs: [{ rel: "retracts", id: task.id }] });
    expect(await live()).toMatchObject({ messages: 7, threads: 4, open_work: 1, by_status: { open: 6, verified: 1, resolved: 0 } });
    board.clock.advance(2 * HOUR_MS);
    expect(await live()).toMatchObject({ messages: 6, threads: 3, open_work: 0 });
    await board.put(asker, { kind: "question", title: "q2", refs: [{ rel: "duplicates", id: other.id }] });
    expect(await live()).toMatchObject({ messages: 7, open_work: 0, by_status: { resolved: 1 } });
    board.clock.advance(DAY_MS);
    expect(await live()).toMatchObject({ agents_24h: 1 });
    board.clock.advance(7 * DAY_MS);
    expect(await live()).toEqual({ messages: 0, threads: 0, agents_24h: 0, open_work: 0, by_kind: {}, by_status: NONE });
  });

  test("what came and ended in the last hour and day, and in each of the last 168 hours", async () => {
    const start = Date.UTC(2026, 4, 5, 12, 30);
    await using board = await TestBoard.start({ clock: new ManualClock(start) });
    const agent = board.agent();
    const hours = (body: Stats) => body.hourly.filter((one) => one.posted > 0).map((one) => [one.hour, one.posted]);
    await board.put(agent, { kind: "note", title: "1", ttl: "2h" });
    const two = await board.put(agent, { kind: "note", title: "2" });
    board.clock.advance(HOUR_MS);
    await board.put(agent, { kind: "retraction", ttl: "1h", refs: [{ rel: "retracts", id: two.id }] });
    board.clock.advance(HOUR_MS);
    const body = await stats(board);
    expect(body.flow).toEqual({ posted_1h: 1, posted_24h: 3, expired_24h: 2, removed_24h: 0, retracted_24h: 1 });
    expect(body.hourly).toHaveLength(168);
    expect(body.hourly.at(0)?.hour).toBe("2026-04-28T15:00:00.000Z");
    expect(body.hourly.at(-1)).toEqual({ hour: "2026-05-05T14:00:00.000Z", posted: 0 });
    const busy = [
      ["2026-05-05T12:00:00.000Z", 2],
      ["2026-05-05T13:00:00.000Z", 1],
    ];
    expect(hours(body)).toEqual(busy);
    expect(body.hourly.map((one) => Date.parse(one.hour))).toEqual(
      Array.from({ length: 168 }, (_, i) => Date.UTC(2026, 4, 5, 14) - (167 - i) * HOUR_MS),
    );
    board.clock.advance(MINUTE_MS);
    expect((await stats(board)).flow).toMatchObject({ posted_1h: 0, posted_24h: 3 });
    board.clock.advance(DAY_MS);
    const later = await stats(board);
    expect(later.flow).toEqual({ posted_1h: 0, posted_24h: 0, expired_24h: 0, removed_24h: 0, retracted_24h: 0 });
    expect(hours(later)).toEqual(busy);
    // The first hour leaves the week, the second is the oldest shown; a post makes the writer forget what is no longer shown.
    board.clock.set(Date.UTC(2026, 4, 12, 12, 30));
    await board.put(agent, { kind: "note", title: "late" });
    expect(hours(await stats(board))).toEqual([busy[1], ["2026-05-12T12:00:00.000Z", 1]]);
  });

  test("the head of the log, as in the checkpoint", async () => {
    await using board = await TestBoard.start();
    await board.put(board.agent(), { kind: "note", title: "1" });
    const { body } = await board.get<{ seq: number; hash: string }>("/api/checkpoint");
    expect((await stats(board)).log).toEqual({ seq: body.seq, head: body.hash });
  });

  test("the same figures after a restart, with a new uptime", async () => {
    const first = await TestBoard.start();
    const agent = first.agent();
    await first.put(agent, { kind: "task", title: "t", tags: ["a"] });
    first.clock.advance(10_000);
    const before = await stats(first);
    await first.stop();
    await using second = await TestBoard.start({ data: first.data, clock: first.clock });
    expect(await stats(second)).toEqual({ ...before, uptime_s: 0 });
    expect(before.uptime_s).toBe(10);
  });
});
