// Backups as an operator makes and needs them: under load, complete, and never a way to a second history.
import { createHash } from "node:crypto";
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { databasePath } from "../../src/adapters/sqlite/open.ts";
import { makeBackup } from "../../src/cli/operate/backup.ts";
import { restoreBackup } from "../../src/cli/operate/restore-backup.ts";
import { givenOutLines, undoneLines } from "../../src/cli/operate/undone-words.ts";
import { readConfig } from "../../src/config.ts";
import { wholeLog } from "../support/acknowledged.ts";
import { TestBoard } from "../support/board.ts";
import { chainFaults } from "../support/chain.ts";
import { eventually } from "../support/eventually.ts";
import { FACTS, Operator, reasons } from "../support/operator.ts";
import { emptyDirectory } from "../support/process.ts";
import { expectRefusal } from "../support/refusal.ts";

const configOf = (data: string) => readConfig(["--data", data], {});
const changes = (board: TestBoard) => wholeLog(board.url);
const note = (title: string) => ({ kind: "note", title });

test("a backup made under load is a prefix of the history; restored, the board refuses to sign behind its last checkpoint", async () => {
  const board = await TestBoard.start();
  const agent = board.agent();
  const dir = join(emptyDirectory(), "backup");
  const load = { on: true, posted: 0 };
  const reached = (count: number) => eventually(`${count} posts`, () => (load.posted >= count ? true : undefined));
  const posters = Array.from({ length: 4 }, async (_, n) => {
    for (let i = 0; load.on; i++) {
      await board.put(agent, { ...note(`load ${n} ${i}`), body: "x".repeat(3000) });
      load.posted++;
    }
  });
  await reached(40);
  const { head } = await makeBackup(configOf(board.data), dir, true);
  await reached(load.posted + 40);
  load.on = false;
  await Promise.all(posters);
  const removed = (await changes(board)).at(-1)?.id ?? "";
  {
    await using operator = await Operator.at(board);
    await operator.remove(removed);
  }
  const whole = await changes(board);
  expect((await board.get("/api/checkpoint")).body).toMatchObject({ seq: whole.length });
  await board.stop();

  const restored = await restoreBackup(configOf(board.data), dir);
  expect(restored).toMatchObject({ head, signed: { seq: whole.length } });
  expect(restored.undone).toMatchObject({ lost: [{ target: removed, order: "remove", here: false }], givenOut: whole.length });
  const { replaced = "" } = restored;
  expect(readdirSync(replaced)).toContain("board.db");
  rmSync(replaced, { recursive: true });
  await using again = await TestBoard.start({ data: board.data, clock: board.clock });
  const prefix = await changes(again);
  expect(prefix.length).toBe(head.seq);
  expect(prefix.length).toBeGreaterThanOrEqual(40);
  expect(prefix).toEqual(whole.slice(0, prefix.length).map((entry, i) => ({ ...entry, raw: prefix[i]?.raw ?? null })));
  expect(chainFaults(prefix)).toEqual([]);
  expectRefusal(await again.get("/api/checkpoint"), 503, "log_rollback");
  expectRefusal(await again.post(again.agent(), note("behind")), 503, "log_rollback");
  expect((await again.get<{ messages: unknown[] }>("/api/messages?q=load&limit=200")).body.messages.length).toBeGreaterThanOrEqual(40);
  await using operator = await Operator.at(again);
  await expect(operator.remove(prefix[0]?.id ?? "")).rejects.toThrow("behind the last signed head");
});

test("on a new machine the board continues from its backup, with its key and everything else", async () => {
  const board = await TestBoard.start();
  const { id } = await board.put(board.agent(), { ...note("kept"), attachments: [] });
  const checkpoint = (await board.get("/api/checkpoint")).body;
  const dir = join(emptyDirectory(), "backup");
  await makeBackup(configOf(board.data), dir, true);
  await board.stop();
  const data = join(emptyDirectory(), "elsewhere");
  const { replaced, undone } = await restoreBackup(configOf(data), dir);
  expect({ replaced, undone }).toEqual({ replaced: undefined, undone: undefined });
  await using again = await TestBoard.start({ data, clock: board.clock });
  expect((await again.get("/api/checkpoint")).body).toEqual(checkpoint);
  expect((await again.record(id)).meta.title).toBe("kept");
  expect((await again.put(again.agent(), note("goes on"))).seq).toBe(2);
  expect(readFileSync(join(data, "board.key"), "utf8")).toBe(readFileSync(join(board.data, "board.key"), "utf8"));
});

test("what a backup undoes is listed with the commands that ordered it: decisions, switches, reports and entries", async () => {
  const board = await TestBoard.start();
  const author = board.agent();
  const text = "shared";
  const sha256 = createHash("sha256").update(text).digest("hex");
  const attachments = [{ sha256, name: "a.txt", mime: "text/plain", size: text.length }];
  const [bad, attached, spared] = [
    await board.put(author, note("bad")),
    await board.put(author, { ...note("attached"), attachments }, { [sha256]: text }),
    await board.put(author, note("spared")),
  ];
  const report = { target: spared.id, category: "other", explanation: "I do not like it at all." };
  await board.send(JSON.stringify(report), "/api/reports");
  const dir = join(emptyDirectory(), "backup");
  {
    await using operator = await Operator.at(board);
    await operator.remove(spared.id);
    await board.send(JSON.stringify({ ...report, target: bad.id }), "/api/reports");
    await makeBackup(configOf(board.data), dir, true);
    const [notice] = await operator.session.store.notices({ state: "received", after: undefined, limit: 1 });
    await operator.session.order({ do: "dismiss", notice: notice?.id ?? "" });
    await operator.decide({ do: "restore", target: spared.id });
    await operator.decide({ do: "remove", target: bad.id, reasons: reasons("It's bad."), keepAttachments: false });
    await operator.remove(attached.id, true);
    await operator.decide({ do: "block_blob", sha256: "a".repeat(64), reasons: reasons() });
    await operator.decide({ do: "block_key", agent: author.id, reasons: reasons() });
    await operator.session.order({ do: "switch", switches: { powBits: 22, powMaxBits: 24, powAtOnce: true } });
  }
  await board.stop();
  const { head, undone } = await restoreBackup(configOf(board.data), dir);
  if (undone === undefined) throw new Error("The replaced database was not read.");
  const why = (facts: string) => `--category spam --ground incompatible_content --facts '${facts}'`;
  const commands = undoneLines(undone).flatMap((line) => /^ {4}(.+)$/.exec(line)?.[1] ?? []);
  expect(commands).toEqual([
    `block-key ${author.id} ${why(FACTS)}`,
    `block-blob ${"a".repeat(64)} ${why(FACTS)}`,
    `remove ${attached.id} ${why(FACTS)} --keep-attachments`,
    `remove ${bad.id} ${why(String.raw`It'\''s bad.`)}`,
    `restore ${spared.id}`,
    "set-pow 22 --max 24 --now",
    `reports dismiss ${undone.reopened[0] ?? "none"}`,
  ]);
  expect(givenOutLines(undone.givenOut, head.seq, true).join()).toContain(`Entries ${head.seq + 1} to ${head.seq + 5} were published`);
});

test("a backup of a build from before the first release is refused with a clear text, and the board stays unchanged", async () => {
  const board = await TestBoard.start();
  const { id } = await board.put(board.agent(), note("kept"));
  const dir = join(emptyDirectory(), "backup");
  await makeBackup(configOf(board.data), dir, true);
  const older = new DatabaseSync(join(dir, "board.db"));
  older.exec("PRAGMA user_version = 7");
  older.close();
  await board.stop();
  await expect(restoreBackup(configOf(board.data), dir)).rejects.toThrow("A build from before the first release made it");
  await using again = await TestBoard.start({ data: board.data, clock: board.clock });
  expect((await again.record(id)).meta.title).toBe("kept");
});

test("files that root restores or erases belong to the board's user, who can start the board", async () => {
  const board = await TestBoard.start();
  const { id } = await board.put(board.agent(), note("kept"));
  await board.get("/api/checkpoint");
  const dir = join(emptyDirectory(), "backup");
  await makeBackup(configOf(board.data), dir, true);
  await board.stop();
  const data = emptyDirectory();
  // Users other than root can only give it to themselves.
  if (process.getuid?.() === 0) chownSync(data, 12_345, 12_346);
  const { uid, gid } = statSync(data);
  for (const round of ["empty", "replaced"]) {
    await restoreBackup(configOf(data), dir);
    const owners = readdirSync(data).map((name) => [name, statSync(join(data, name)).uid, statSync(join(data, name)).gid]);
    expect(owners.length, round).toBeGreaterThan(3);
    expect(owners).toEqual(readdirSync(data).map((name) => [name, uid, gid]));
  }
  // The same for a search index that a removal has rewritten.
  mkdirSync(join(data, "index"));
  await using operator = await Operator.at({ data, clock: board.clock });
  await operator.remove(id);
  expect(await operator.erase()).toContain("The search index contains none of its words.");
  const files = readdirSync(data, { recursive: true, encoding: "utf8" });
  expect(files).toContain(join("index", "manifest.json"));
  expect(files.filter((name) => statSync(join(data, name)).uid !== uid)).toEqual([]);
});

test("a backup overwrites nothing: not a directory in use, not a running board, not another board's key", async () => {
  await using board = await TestBoard.start();
  await board.put(board.agent(), note("kept"));
  const dir = join(emptyDirectory(), "backup");
  await makeBackup(configOf(board.data), dir, false);
  expect(existsSync(join(dir, "board.key"))).toBe(false);
  await expect(makeBackup(configOf(board.data), dir, true)).rejects.toThrow("is not empty");
  await expect(restoreBackup(configOf(board.data), dir)).rejects.toThrow("Another board is running");
  await expect(restoreBackup(configOf(board.data), emptyDirectory())).rejects.toThrow("There is no backup");
  const keyed = join(emptyDirectory(), "keyed");
  await makeBackup(configOf(board.data), keyed, true);
  const other = await TestBoard.start();
  await other.stop();
  await expect(restoreBackup(configOf(other.data), keyed)).rejects.toThrow("another key");
});

test("a link to the database of a running board, from another directory, is no second board that signs", async () => {
  await using board = await TestBoard.start();
  const linked = emptyDirectory();
  symlinkSync(databasePath(board.data), databasePath(linked));
  await expect(TestBoard.start({ data: linked })).rejects.toThrow("Another board is running");
});

test("a message removed before a backup is not in it, however recently", async () => {
  await using board = await TestBoard.start();
  const { id } = await board.put(board.agent(), { ...note("zqxjkvword"), body: "zqxjkvword ".repeat(1000) });
  await using operator = await Operator.at(board);
  await operator.remove(id);
  const dir = join(emptyDirectory(), "backup");
  await makeBackup(configOf(board.data), dir, false);
  for (const file of readdirSync(dir)) expect(readFileSync(join(dir, file)).toString("latin1"), file).not.toContain("zqxjkvword");
});

test("after a backup was restored, what a caller has kept from before is not confirmed as unchanged", async () => {
  const board = await TestBoard.start();
  const author = board.agent();
  await board.put(author, note("kept"));
  const dir = join(emptyDirectory(), "backup");
  await makeBackup(configOf(board.data), dir, true);
  board.clock.advance(1000);
  await board.put(author, note("lost"));
  const etag = (await board.get("/api/messages")).headers.get("etag") ?? "";
  await board.stop();
  const data = join(emptyDirectory(), "elsewhere");
  await restoreBackup(configOf(data), dir);
  await using again = await TestBoard.start({ data, clock: board.clock });
  await again.put(author, note("instead of it"));
  expect((await again.get("/api/messages", { headers: { "if-none-match": etag } })).status).toBe(200);
});
