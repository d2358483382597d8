import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { AGENTS } from "../../../test/support/acts.ts";
import { postAct } from "../../../test/support/bare-board.ts";
import { messageId } from "../../core/protocol/message-and-agent-ids.ts";
import { LIMITS } from "../../core/protocol/limits.ts";
import { and, atLeast, oneOf } from "../../core/query/condition.ts";
import { ORDERS } from "../../core/query/order.ts";
import { SqliteMessageCache } from "./message-cache.ts";
import { SqliteHead } from "./head.ts";
import { SqliteLister } from "./list.ts";
import { databasePath, openDatabase } from "./open.ts";
import { SqliteReader } from "./reader.ts";
import { SqliteWriter } from "./writer.ts";

const NOW = Date.UTC(2026, 0, 1);
let dir: string;
let writer: SqliteWriter;
let readDb: ReturnType<typeof openDatabase>;
let head: SqliteHead;
let storedMessages: SqliteMessageCache;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "cards-"));
  writer = new SqliteWriter(openDatabase(databasePath(dir), "write"));
  readDb = openDatabase(databasePath(dir), "read");
  head = new SqliteHead(readDb);
  storedMessages = new SqliteMessageCache(readDb, head);
});
afterEach(() => {
  readDb.close();
  writer.close();
  rmSync(dir, { recursive: true, force: true });
});

const text = (agent: number, fields: object): string => JSON.stringify({ v: 1, pk: AGENTS[agent]?.pk, ts: NOW / 1000, ...fields });
const task = text(0, { kind: "task", title: "a task" });
const claim = text(1, { kind: "claim", refs: [{ rel: "claims", id: messageId(task) }] });

async function shown(): Promise<{ found: string | undefined; listed: readonly string[] }> {
  const found = new SqliteReader(readDb, storedMessages).find(messageId(task), NOW);
  const listed = await new SqliteLister(readDb, storedMessages).list({
    condition: and(atLeast("expiresAt", NOW + 1), oneOf("kind", ["task"])),
    order: ORDERS.new,
    after: undefined,
    limit: 10,
    removed: false,
    only: undefined,
  });
  return {
    found: found !== undefined && "stored" in found ? found.stored.state.status : undefined,
    listed: listed.map((one) => ("stored" in one ? one.stored.state.status : "gone")),
  };
}

test("readers see what a transaction of ours changed from its commit on, though we are notified only later", async () => {
  const first = writer.run([postAct(task)], NOW);
  storedMessages.forget(first.touched, first.head.seq);
  expect(await shown()).toEqual({ found: "open", listed: ["open"] });
  head.writing = true;
  const second = writer.run([postAct(claim)], NOW);
  expect(await shown()).toEqual({ found: "claimed", listed: ["claimed"] });
  head.written();
  storedMessages.forget(second.touched, second.head.seq);
  expect(await shown()).toEqual({ found: "claimed", listed: ["claimed"] });
});

test("readers see what another process changed, such as an operator's command", async () => {
  const first = writer.run([postAct(task)], NOW);
  storedMessages.forget(first.touched, first.head.seq);
  expect(await shown()).toEqual({ found: "open", listed: ["open"] });
  writer.run([postAct(claim)], NOW);
  expect(await shown()).toEqual({ found: "claimed", listed: ["claimed"] });
});

test("readers see exactly what was touched change, and the rest stays in memory", async () => {
  const first = writer.run([postAct(task)], NOW);
  storedMessages.forget(first.touched, first.head.seq);
  const before = new SqliteReader(readDb, storedMessages).find(messageId(task), NOW);
  const second = writer.run([postAct(text(2, { kind: "note", title: "elsewhere" }))], NOW);
  storedMessages.forget(second.touched, second.head.seq);
  const after = new SqliteReader(readDb, storedMessages).find(messageId(task), NOW);
  expect(
    before !== undefined && after !== undefined && "stored" in before && "stored" in after && before.stored.state === after.stored.state,
  ).toBe(true);
});

test("the largest messages the board takes do not fill its memory", async () => {
  const padded = (n: number) => text(0, { kind: "note", title: String(n) }).replace("{", `{${" ".repeat(LIMITS.payload_bytes - 1000)}`);
  const texts = Array.from({ length: 80 }, (_, n) => padded(n));
  const posted = writer.run(
    texts.map((one) => postAct(one)),
    NOW,
  );
  storedMessages.forget(posted.touched, posted.head.seq);
  const reader = storedMessages.current();
  const first = texts.map((_, n) => reader.bySeq(n + 1)?.state);
  const again = [texts.length, 1].map((seq) => reader.bySeq(seq)?.state);
  expect(again[0]).toBe(first.at(-1));
  expect(again[1]).toEqual(first[0]);
  expect(again[1]).not.toBe(first[0]);
});
