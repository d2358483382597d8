// A board that cannot start names the file, the fault and what to do; the operator need not search.
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { databasePath } from "../../src/adapters/sqlite/open.ts";
import { TestBoard } from "../support/board.ts";
import { AS_OTHER_USER, noOtherUser, UNDER } from "../support/other-user.ts";
import { BoardProcess, emptyDirectory } from "../support/process.ts";
import { runHere } from "../support/program.ts";
import { noDisk, SmallDisk, WITH_DISK } from "../support/small-disk.ts";

/** A stopped board with a message and a signed head, to be copied. */
let sound: TestBoard;
beforeAll(async () => {
  sound = await TestBoard.start();
  await sound.put(sound.agent(), { kind: "note", title: "zebra" });
  await sound.get("/api/checkpoint");
  await sound.stop();
});
afterAll(() => sound[Symbol.asyncDispose]());

/** A copy of it, in a directory that everybody can enter. */
function copy(): string {
  const parent = emptyDirectory();
  chmodSync(parent, 0o755);
  cpSync(sound.data, join(parent, "data"), { recursive: true });
  return join(parent, "data");
}

/** A copy of it on another disk; its path there, and for this process. */
function copyOn(disk: SmallDisk) {
  const [data, seen] = [join(disk.path, "data"), join(disk.seen, "data")];
  cpSync(sound.data, seen, { recursive: true });
  return { data, seen };
}

const SERVE = ["serve", "--port", "0", "--smtp-port", "0", "--log-level", "silent", "--base-url", "http://board.test"];

/** Runs in this process, unless it has to be another one. */
async function said(args: readonly string[], under: readonly string[] = []) {
  if (under.length === 0) return runHere(args);
  await using run = BoardProcess.spawn({ args, under });
  const { code, stdout, stderr } = await run.ended;
  return { code, stdout, stderr };
}
const failed = (stderr: string) => ({ code: 1, stdout: "", stderr: `${stderr}\n` });
const matching = (words: RegExp) => ({ code: 1, stdout: "", stderr: expect.stringMatching(words) as string });

describe.skipIf(noOtherUser)(`files of another user ${AS_OTHER_USER}`, () => {
  /** Full permissions for everybody, except for what the test is about. */
  function open(data: string): void {
    chmodSync(data, 0o777);
    for (const name of readdirSync(data, { recursive: true, encoding: "utf8" })) {
      const path = join(data, name);
      chmodSync(path, statSync(path).isDirectory() ? 0o777 : 0o666);
    }
    chmodSync(join(data, "board.key"), 0o600);
  }
  const may = (not: string, owned: string) =>
    new RegExp(
      `^This user \\(uid \\d+\\) may not ${not}, ${owned} belongs to (root|uid \\d+)\\. Run the command as the owner, or change the owner with chown\\.`,
    );

  test("a key that this user may not read", async () => {
    const data = copy();
    open(data);
    chmodSync(join(data, "board.key"), 0o000);
    expect(await said([...SERVE, "--data", data], UNDER)).toEqual(matching(may(`read ${join(data, "board.key")}`, "which")));
  });

  test("a data directory that this user may not write in", async () => {
    const data = copy();
    open(data);
    chmodSync(data, 0o555);
    expect(await said([...SERVE, "--data", data], UNDER)).toEqual(matching(may(`write ${data}`, "which")));
    chmodSync(data, 0o755);
  });

  test("a data directory that this user may not even enter is no missing board to the operator's commands", async () => {
    const data = copy();
    chmodSync(data, 0o000);
    const words = matching(may(`read ${databasePath(data)}`, `for ${data}`));
    for (const command of ["stats", "check"]) expect(await said(["operate", command, "--data", data], UNDER)).toEqual(words);
    expect(await said(["operate", "backup", join(dirname(data), "backup"), "--data", data], UNDER)).toEqual(words);
    chmodSync(data, 0o755);
  });

  test("a place for backups that this user may not enter, or not write in", async () => {
    const data = copy();
    open(data);
    chmodSync(join(data, "board.key"), 0o000);
    const backup = (dir: string) => said(["operate", "backup", dir, "--data", data, "--no-key"], UNDER);
    const [closed, foreign] = [emptyDirectory(), emptyDirectory()];
    chmodSync(closed, 0o000);
    expect(await backup(join(closed, "backup"))).toEqual(matching(may(`read ${join(closed, "backup")}`, `for ${closed}`)));
    chmodSync(closed, 0o755);
    chmodSync(foreign, 0o555);
    const { stderr } = await backup(join(foreign, "backup"));
    expect(stderr).toContain(`The directory ${join(foreign, "backup")} cannot be made: This user (uid `);
    chmodSync(foreign, 0o755);
  });
});

describe("a damaged database", () => {
  const restore = (data: string): string =>
    `Restore a backup, with the board stopped: blackboard operate restore-backup <dir of the backup> --data ${data}`;

  test("of which nothing is left", async () => {
    const data = copy();
    writeFileSync(databasePath(data), "no database at all, ".repeat(1000));
    const words = failed(`The database ${databasePath(data)} is damaged: file is not a database. ${restore(data)}`);
    expect(await said([...SERVE, "--data", data])).toEqual(words);
    expect(await said(["operate", "stats", "--data", data])).toEqual(words);
  });

  test("of which parts are lost, which also makes no backup", async () => {
    const data = copy();
    const bytes = readFileSync(databasePath(data));
    bytes.fill(0x55, 4096);
    writeFileSync(databasePath(data), bytes);
    const words = failed(`The database ${databasePath(data)} is damaged: database disk image is malformed. ${restore(data)}`);
    expect(await said([...SERVE, "--data", data])).toEqual(words);
    expect(await said(["operate", "stats", "--data", data])).toEqual(words);
    const backup = join(emptyDirectory(), "backup");
    const refused = await said(["operate", "backup", backup, "--data", data]);
    expect([refused.code, refused.stderr.includes(restore(data)), existsSync(backup)]).toEqual([1, true, false]);
    const restored = await said(["operate", "restore-backup", data, "--data", join(dirname(backup), "data"), "--yes"]);
    expect(restored.stderr).toMatch(/^The database .+ is damaged: .+Take another backup\.\n$/s);
  });

  test("beside a lock that is none", async () => {
    const data = copy();
    writeFileSync(join(data, "board.lock"), "no lock at all, ".repeat(1000));
    const words = `The database ${join(data, "board.lock")} is damaged: file is not a database. It holds nothing: delete it, and start again.`;
    expect(await said([...SERVE, "--data", data])).toEqual(failed(words));
  });
});

describe.skipIf(noDisk)(`a full disk ${WITH_DISK}`, () => {
  const full = matching(/^The disk that holds .+ is full\. Free some space, and try again\.\n$/);

  test("is not taken for a running board, and the board starts once there is space", async () => {
    using disk = await SmallDisk.mount(2);
    const { data } = copyOn(disk);
    disk.fill();
    expect(await said([...SERVE, "--data", data], disk.under)).toEqual(full);
    const words = failed(`The disk that holds ${databasePath(data)} is full. Free some space, and try again.`);
    expect(await said(["operate", "stats", "--data", data], disk.under)).toEqual(words);
    disk.freeSpace();
    await using board = await BoardProcess.serve(data, [], {}, disk.under);
    expect((await fetch(`${board.url}/readyz`)).status).toBe(200);
  });

  test("gets no key that is none", async () => {
    using disk = await SmallDisk.mount(1);
    disk.fill();
    const flags = ["--data", join(emptyDirectory(), "data"), "--key-file", join(disk.path, "board.key")];
    const words = failed(`The disk that holds ${disk.path} is full. Free some space, and try again.`);
    expect(await said([...SERVE, ...flags], disk.under)).toEqual(words);
    expect(readdirSync(disk.seen)).toEqual(["filler"]);
  });

  test("takes no backup: it is named, nothing of it is left, and the first try is not in the way of the next", async () => {
    using disk = await SmallDisk.mount(1);
    const backup = ["operate", "backup", join(disk.path, "backup"), "--data", copy()];
    disk.fill();
    const ended = await said(backup, disk.under);
    expect(ended).toEqual(full);
    expect(ended.stderr).toContain(join(disk.path, "backup"));
    expect(readdirSync(disk.seen)).toEqual(["filler"]);
    disk.freeSpace();
    expect(await said(backup, disk.under)).toMatchObject({ code: 0 });
  });

  test("is not replaced by a restored board either: the files stay in place", async () => {
    using disk = await SmallDisk.mount(2);
    const [{ data, seen }, dir] = [copyOn(disk), join(emptyDirectory(), "backup")];
    expect(await said(["operate", "backup", dir, "--data", data], disk.under)).toMatchObject({ code: 0 });
    const files = readdirSync(seen);
    disk.fill();
    expect(await said(["operate", "restore-backup", dir, "--data", data, "--yes"], disk.under)).toEqual(full);
    expect(readdirSync(seen)).toEqual(files);
    disk.freeSpace();
    expect(await said(["operate", "check", "--data", data], disk.under)).toMatchObject({ code: 0 });
  });
});

describe.skipIf(noDisk)(`a read-only disk ${WITH_DISK}`, () => {
  test("is named, with the way to start there anyway", async () => {
    using disk = await SmallDisk.mount(2);
    const { data } = copyOn(disk);
    disk.seal();
    const words = `${data} is on a read-only file system. Mount it writable. To serve it without writing: serve --read-only on`;
    expect(await said([...SERVE, "--data", data], disk.under)).toEqual(failed(words));
    const none = join(disk.path, "none");
    expect(await said([...SERVE, "--data", none], disk.under)).toEqual(
      failed(`The directory ${none} cannot be made: ${disk.path} is on a read-only file system. Mount it writable.`),
    );
    const empty = await said([...SERVE, "--data", disk.path, "--read-only", "on"], disk.under);
    expect(empty).toEqual(matching(/^There is no board in .+, and none can be made there\. .+ is on a read-only file system\./));
  });

  const READ_ONLY = ["--read-only", "on", "--profile", "public", "--base-url"];

  test.each(["stopped", "killed"])(
    "answers everything with --read-only on, also what a board that was %s has left, and nothing is written",
    async (how) => {
      using disk = await SmallDisk.mount(8);
      const [{ data, seen }, temporary] = [copyOn(disk), emptyDirectory()];
      if (how === "killed") await (await BoardProcess.serve(data, [], {}, disk.under)).kill("SIGKILL");
      disk.seal();
      const files = readdirSync(seen);
      await using board = await BoardProcess.serve(data, [...READ_ONLY, "http://board.test"], { TMPDIR: temporary }, disk.under);
      const get = async (path: string) => (await (await fetch(board.url + path)).json()) as Record<string, unknown>;
      const found = (await get("/api/messages?q=zebra")) as { messages: { meta: { title: string } }[] };
      expect(found.messages.map(({ meta }) => meta.title)).toEqual(["zebra"]);
      expect(await get("/api/checkpoint")).toEqual(JSON.parse(readFileSync(join(seen, "head.json"), "utf8")));
      expect(await get("/readyz")).toMatchObject({ writing: "read_only" });
      const body = JSON.stringify(sound.agent().envelope({ kind: "note" }));
      const post = await fetch(`${board.url}/api/messages`, { method: "POST", headers: { "content-type": "application/json" }, body });
      expect(post.status).toBe(503);
      const operate = (...args: string[]) => said(["operate", ...args, "--data", data], disk.under);
      expect(await operate("stats")).toMatchObject({ code: 0, stderr: "" });
      expect(await operate("backup", join(emptyDirectory(), "backup"))).toMatchObject({ code: 0 });
      expect(await operate("read-only", "on", "--yes")).toEqual(matching(/ is on a read-only file system\. Mount it writable\./));
      expect(readdirSync(temporary)).toHaveLength(1);
      await board.kill("SIGTERM");
      expect([readdirSync(seen), readdirSync(temporary)]).toEqual([files, []]);
    },
  );

  test("signs no head that cannot be stored, and says so", async () => {
    using disk = await SmallDisk.mount(4);
    const { data } = copyOn(disk);
    disk.seal();
    // Another address has another head.
    await using board = await BoardProcess.serve(data, [...READ_ONLY, "http://elsewhere.test"], {}, disk.under);
    const answer = await fetch(`${board.url}/api/checkpoint`);
    expect([answer.status, await answer.json()]).toMatchObject([503, { error: { code: "read_only" } }]);
  });
});

/** Answers calls that change a directory like a file system that its driver has made read-only: permissions do not show it. */
const REFUSES_WRITES = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "inject=?mkdir,mkdirat:error=EROFS"];
const noTracer = spawnSync("strace", [...REFUSES_WRITES.slice(1), "true"]).status !== 0;

test.skipIf(noTracer)(
  `a file system that refuses writes and does not say so is named as read-only, before anybody posts ${noTracer ? "(skipped: needs strace)" : ""}`,
  async () => {
    const data = copy();
    const words = `${data} is on a read-only file system. Mount it writable. To serve it without writing: serve --read-only on`;
    expect(await said([...SERVE, "--data", data], REFUSES_WRITES)).toEqual(failed(words));
  },
);

test("a database that is gone beside its log is not replaced by an empty one, and the log stays as it is", async () => {
  const data = copy();
  const log = `${databasePath(data)}-wal`;
  rmSync(databasePath(data));
  writeFileSync(log, "entries of the board");
  expect(await said([...SERVE, "--data", data])).toEqual(
    matching(/^The database \S+board\.db is gone, and \S+board\.db-wal .* restore-backup/),
  );
  expect(readFileSync(log, "utf8")).toBe("entries of the board");
  expect(existsSync(databasePath(data))).toBe(false);
});

describe("a database that is gone without a log", () => {
  test("is not replaced by an empty one with the same key, and the rest of the board stays unchanged", async () => {
    const data = copy();
    rmSync(databasePath(data));
    const files = readdirSync(data);
    expect(await said([...SERVE, "--data", data])).toEqual(
      matching(
        /^The database \S+board\.db is gone, but \S+ has held a board: head\.json, index are still there\. .* restore-backup .* move those away/,
      ),
    );
    expect(readdirSync(data)).toEqual(files);
  });

  test("nor if nobody had ever asked for a signed head", async () => {
    const data = copy();
    for (const name of ["board.db", "head.json"]) rmSync(join(data, name));
    expect(await said([...SERVE, "--data", data])).toEqual(matching(/ has held a board: index is still there\./));
  });

  test("is not missed if there is only a key: that is a new board with a key that its owner chose", async () => {
    const [data, from] = [emptyDirectory(), copy()];
    cpSync(join(from, "board.key"), join(data, "board.key"));
    await using board = await TestBoard.start({ data });
    expect((await board.get("/readyz")).status).toBe(200);
  });

  test.each(["stats", "check", "reports list"])("is reported as such by operate %s", async (command) => {
    const data = copy();
    rmSync(databasePath(data));
    const files = readdirSync(data);
    expect(await said(["operate", ...command.split(" "), "--data", data])).toEqual(
      matching(/^The database \S+board\.db is gone, but \S+ has held a board\. .* --database-url\. .* restore-backup/),
    );
    expect(readdirSync(data)).toEqual(files);
  });

  test("is put back by a restored backup", async () => {
    const [data, dir] = [copy(), join(emptyDirectory(), "backup")];
    expect(await said(["operate", "backup", dir, "--data", data])).toMatchObject({ code: 0 });
    rmSync(databasePath(data));
    expect(await said(["operate", "restore-backup", dir, "--data", data, "--yes"])).toMatchObject({ code: 0 });
    await using board = await TestBoard.start({ data });
    expect((await board.get<{ messages: unknown[] }>("/api/messages")).body.messages).toHaveLength(1);
  });
});

describe("a last signed head that is damaged keeps the board from starting: it could sign a second history without noticing", () => {
  const head = (): Record<string, unknown> => JSON.parse(readFileSync(join(sound.data, "head.json"), "utf8")) as Record<string, unknown>;
  test.each([
    ["cut off", () => '{"payload":', "JSON"],
    ["null", () => "null", "it does not hold a JSON object"],
    ["empty", () => "{}", "payload is missing, or is no text"],
    ["with a text for a number", () => JSON.stringify({ ...head(), seq: "1" }), "seq is missing, or is no number of an entry"],
    ["with another number", () => JSON.stringify({ ...head(), seq: 0 }), "its signature does not fit what it says"],
    ["with another signature", () => JSON.stringify({ ...head(), sig: "A".repeat(86) }), "its signature does not fit what it says"],
  ])("%s", async (_how, text, why) => {
    const data = copy();
    writeFileSync(join(data, "head.json"), text());
    const { code, stderr } = await said([...SERVE, "--data", data]);
    expect(code).toBe(1);
    expect(stderr).toContain(`The head file ${join(data, "head.json")} is damaged: `);
    expect(stderr).toContain(why);
    expect(stderr).toContain("Put it back from a backup that is as new as the database.");
  });

  test("nor is a backup put in the place of a board with one, half way", async () => {
    const [data, dir] = [copy(), join(emptyDirectory(), "backup")];
    expect(await said(["operate", "backup", dir, "--data", data])).toMatchObject({ code: 0 });
    writeFileSync(join(data, "head.json"), "{}");
    const files = readdirSync(data);
    expect((await said(["operate", "restore-backup", dir, "--data", data, "--yes"])).stderr).toContain("is damaged: payload is missing");
    expect(readdirSync(data)).toEqual(files);
  });
});
