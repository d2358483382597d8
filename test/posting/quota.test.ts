// A quota for the whole board: large posts are refused first, then all; messages that end make room.
import { expect, test } from "vitest";
import { LIMITS } from "../../src/core/protocol/limits.ts";
import { operateAlias } from "../support/aliases.ts";
import { TestBoard } from "../support/board.ts";
import { eventually } from "../support/eventually.ts";
import { signed } from "../support/key-stage.ts";
import { withLongestBody } from "../support/payload.ts";
import { onPostgres } from "../support/postgres/database.ts";
import { placeOf, runHere } from "../support/program.ts";
import { expectRefusal } from "../support/refusal.ts";

const QUOTA = 12_000_000;

test("a board at its quota refuses posts, large ones first, and takes them again when messages have expired", async () => {
  const log: string[] = [];
  await using board = await TestBoard.start({ flags: ["--max-bytes", String(QUOTA), "--rate-limits", "off"], log });
  const agent = board.agent();
  const named = board.agent();
  expect((await operateAlias(board, named, "claim", "full-board")).status).toBe(201);
  const large = (n: number) =>
    board.send(JSON.stringify(agent.seal(withLongestBody(agent.envelope({ kind: "note", title: `large ${n}`, ttl: "1h" }).payload))));
  const { limits } = (await board.get<{ limits: Record<string, unknown> }>("/api/kinds")).body;
  expect(limits["max_bytes"]).toBe(QUOTA);

  let sent = 0;
  let last = await large(sent);
  while (last.status === 201) last = await large(++sent);
  expect(sent).toBeGreaterThan(20);
  const { details, hint } = expectRefusal(last, 503, "storage_full");
  expect(details).toMatchObject({ max_bytes: QUOTA, largest_bytes: 8192 });
  expect(hint).toContain("at most 8192 bytes");

  const small = await board.put(agent, { kind: "note", body: "short" });
  expect((await board.get("/readyz/writing")).status).toBe(200);
  // Fills the rest with messages that are just small enough.
  const filler = "x".repeat(7800);
  let answer = await board.post(agent, { kind: "note", title: "0", body: filler });
  for (let n = 1; answer.status === 201; n++) answer = await board.post(agent, { kind: "note", title: String(n), body: filler });
  expect(expectRefusal(answer, 503, "storage_full").details).toMatchObject({ largest_bytes: 0 });
  expectRefusal(await board.get("/readyz/writing"), 503, "storage_full");
  expect((await board.get("/api/messages")).status).toBe(200);
  const seen = await runHere(["operate", "stats", ...placeOf(board.data)], { env: { BOARD_MAX_BYTES: "10000000" } });
  expect(seen.stdout).toMatch(/^writing +no: storage_full: \d+ of the 10000000 bytes of the quota are in use$/m);
  // An agent that withdraws a message is not refused, unless it brings a large text along.
  const long = await board.post(agent, { kind: "retraction", body: "x".repeat(9000), refs: [{ rel: "retracts", id: small.id }] });
  expectRefusal(long, 503, "storage_full");
  expect((await board.post(agent, { kind: "retraction", refs: [{ rel: "retracts", id: small.id }] })).status).toBe(201);

  // Nor is one that gives up a name or ends a stolen key; but it does not get a new name.
  expect((await operateAlias(board, named, "release", "full-board")).status).toBe(201);
  expectRefusal(await operateAlias(board, named, "claim", "another-name"), 503, "storage_full");
  const boardId = (await board.get<{ board: string }>("/api/checkpoint")).body.board;
  const now = Math.floor(board.clock.now() / 1000);
  const kid = board.agent();
  for (const [act, status] of [
    [{ op: "delegate", child: kid.pk, until: now + 3600 }, 503],
    [{ op: "revoke", from: now }, 201],
  ] as const) {
    const operation = signed(named, named, act, boardId, board.clock.now(), act.op === "delegate" ? { child: kid } : {});
    expect((await board.send(JSON.stringify(operation), "/api/keys")).status).toBe(status);
  }

  board.clock.advance(3_700_000);
  await eventually("room", async () => {
    board.clock.advance(60_000);
    return (await board.post(agent, { kind: "note", body: "there is room" })).status === 201 ? true : undefined;
  });
  expect((await large(1000)).status).toBe(201);
  // The operator reads in the log when it begins and when it is over.
  const said = log.map((line) => (JSON.parse(line) as { msg: string }).msg).filter((msg) => msg.includes("--max-bytes"));
  expect(said[0]).toContain("posts over 8 KiB are refused");
  expect(said[1]).toContain("--max-bytes is used up");
  expect(said.at(-1)).toContain("there is room");
});

test("labels use up the quota too, also when what is stored was measured again", async () => {
  const max = 10_000_000;
  await using board = await TestBoard.start({ flags: ["--max-bytes", String(max), "--rate-limits", "off"] });
  const labels = (n: number, field: string, count: number) =>
    Array.from({ length: count }, (_, i) => `${field}${n}-${i}`.padEnd(LIMITS.tag_chars, "x"));
  const labelled = (n: number) =>
    board.post(board.agent(), {
      kind: "note",
      title: `${n}`,
      tags: labels(n, "t", LIMITS.tags),
      needs: labels(n, "n", LIMITS.needs),
      offers: labels(n, "o", LIMITS.offers),
    });
  let sent = 0;
  while ((await labelled(sent)).status === 201) sent++;
  expect(sent).toBeLessThan(150);
  // SQLite counts the pages of its file, and there they take less than half.
  const room = async (): Promise<boolean> => {
    board.clock.advance(61_000);
    return (await labelled(++sent)).status === 201;
  };
  if (!onPostgres()) await eventually("room", async () => ((await room()) ? true : undefined));
  else for (let n = 0; n < 20; n++) expect(await room()).toBe(false);
});
