// A board that cannot start says which file it is, what is wrong with it and what to do; nobody hunts for a board that does not run.
import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { databasePath } from "../src/adapters/sqlite/open.ts";
import { TestBoard } from "./support/board.ts";
import { AS_OTHER_USER, noOtherUser, UNDER } from "./support/other-user.ts";
import { BoardProcess, emptyDirectory } from "./support/process.ts";
import { noDisk, SmallDisk, WITH_DISK } from "./support/small-disk.ts";

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
function copy(parent = emptyDirectory()): string {
  chmodSync(parent, 0o755);
  const data = join(parent, "data");
  cpSync(sound.data, data, { recursive: true });
  return data;
}

const SERVE = ["serve", "--port", "0", "--smtp-port", "0", "--log-level", "silent", "--base-url", "http://board.test"];

async function said(args: readonly string[], under: readonly string[] = []) {
  await using run = BoardProcess.spawn({ args, under });
  const { code, stdout, stderr } = await run.ended;
  return { code, stdout, stderr };
}
const failed = (stderr: string) => ({ code: 1, stdout: "", stderr: `${stderr}\n` });
const matching = (words: RegExp) => ({ code: 1, stdout: "", stderr: expect.stringMatching(words) as string });

describe.skipIf(noOtherUser)(`files of another user ${AS_OTHER_USER}`, () => {
  /** Everything for everybody, but for what the test is about. */
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
  test("is not taken for a running board, and the board starts once there is room", async () => {
    using disk = new SmallDisk(2);
    const data = copy(disk.path);
    disk.fill();
    expect(await said([...SERVE, "--data", data])).toEqual(
      matching(/^The disk that holds .+ is full\. Make room there, and try again\.\n$/),
    );
    expect(await said(["operate", "stats", "--data", data])).toEqual(
      failed(`The disk that holds ${databasePath(data)} is full. Make room there, and try again.`),
    );
    disk.makeRoom();
    await using board = await BoardProcess.serve(data);
    expect((await fetch(`${board.url}/readyz`)).status).toBe(200);
    await board.kill("SIGTERM");
  });

  test("gets no key that is none", async () => {
    using disk = new SmallDisk(2);
    const key = join(disk.path, "board.key");
    disk.fill();
    const ended = await said([...SERVE, "--data", join(emptyDirectory(), "data"), "--key-file", key]);
    expect(ended).toEqual(failed(`The disk that holds ${disk.path} is full. Make room there, and try again.`));
    expect(existsSync(key)).toBe(false);
  });

  test("takes no backup: it is named, nothing of it is left, and the next try is not in the way of the first", async () => {
    using disk = new SmallDisk(1);
    const [data, dir] = [copy(), join(disk.path, "backup")];
    disk.fill();
    const ended = await said(["operate", "backup", dir, "--data", data]);
    expect(ended).toEqual(matching(/^The disk that holds .+ is full\. Make room there, and try again\.\n$/));
    expect(ended.stderr).toContain(dir);
    expect(readdirSync(disk.path)).toEqual(["filler"]);
    disk.makeRoom();
    expect(await said(["operate", "backup", dir, "--data", data])).toMatchObject({ code: 0 });
  });

  test("takes no restored board either: what was there stays in place", async () => {
    using disk = new SmallDisk(2);
    const [data, dir] = [copy(disk.path), join(emptyDirectory(), "backup")];
    expect(await said(["operate", "backup", dir, "--data", data])).toMatchObject({ code: 0 });
    const files = readdirSync(data);
    disk.fill();
    const ended = await said(["operate", "restore-backup", dir, "--data", data, "--yes"]);
    expect(ended).toEqual(matching(/^The disk that holds .+ is full\. Make room there, and try again\.\n$/));
    expect(readdirSync(data)).toEqual(files);
    disk.makeRoom();
    expect(await said(["operate", "check", "--data", data])).toMatchObject({ code: 0 });
  });
});

describe.skipIf(noDisk)(`a read-only disk ${WITH_DISK}`, () => {
  test("is named, with the way to start there all the same", async () => {
    using disk = new SmallDisk(2);
    const data = copy(disk.path);
    disk.mount("ro");
    const words = `${data} is on a read-only file system. Mount it writable. A board that only answers questions starts there too: serve --read-only on`;
    expect(await said([...SERVE, "--data", data])).toEqual(failed(words));
    const empty = join(disk.path, "empty");
    const none = await said([...SERVE, "--data", empty]);
    expect(none).toEqual(failed(`The directory ${empty} cannot be made: ${disk.path} is on a read-only file system. Mount it writable.`));
  });

  test.each(["stopped", "killed"])(
    "answers everything with --read-only on, also what a board that was %s left, and writes nothing",
    async (how) => {
      using disk = new SmallDisk(8);
      const [data, temporary] = [copy(disk.path), emptyDirectory()];
      if (how === "killed") {
        const board = await BoardProcess.serve(data);
        await board.kill("SIGKILL");
      }
      disk.mount("ro");
      const files = readdirSync(data);
      const flags = ["--read-only", "on", "--base-url", "http://board.test", "--profile", "public"];
      await using board = await BoardProcess.serve(data, flags, { TMPDIR: temporary });
      const get = async (path: string) => (await (await fetch(board.url + path)).json()) as Record<string, unknown>;
      const found = (await get("/api/messages?q=zebra")) as { messages: { meta: { title: string } }[] };
      expect(found.messages.map(({ meta }) => meta.title)).toEqual(["zebra"]);
      expect(await get("/api/checkpoint")).toEqual(JSON.parse(readFileSync(join(data, "head.json"), "utf8")));
      expect(await get("/readyz")).toMatchObject({ writing: "read_only" });
      const init = {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(sound.agent().envelope({ kind: "note" })),
      };
      expect((await fetch(`${board.url}/api/messages`, init)).status).toBe(503);
      expect(await said(["operate", "stats", "--data", data])).toMatchObject({ code: 0, stderr: "" });
      const turned = await said(["operate", "read-only", "on", "--yes", "--data", data]);
      expect(turned).toEqual(matching(/is on a read-only file system\. Mount it writable\./));
      const dir = join(emptyDirectory(), "backup");
      expect(await said(["operate", "backup", dir, "--data", data])).toMatchObject({ code: 0 });
      expect(readdirSync(temporary)).toHaveLength(1);
      await board.kill("SIGTERM");
      expect([readdirSync(data), readdirSync(temporary)]).toEqual([files, []]);
    },
  );

  test("signs no head that cannot be kept, and says so", async () => {
    using disk = new SmallDisk(8);
    const data = copy(disk.path);
    disk.mount("ro");
    await using board = await BoardProcess.serve(data, ["--read-only", "on", "--base-url", "http://elsewhere.test", "--profile", "public"]);
    const answer = await fetch(`${board.url}/api/checkpoint`);
    expect([answer.status, await answer.json()]).toEqual([
      503,
      expect.objectContaining({ error: expect.objectContaining({ code: "read_only" }) as object }),
    ]);
  });
});
