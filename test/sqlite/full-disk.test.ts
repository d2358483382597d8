// A disk that fills up while a board runs: posts are refused with a clear error, every probe says so, the log says it once, and free space
// ends it.
import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Agent, TEST_BITS } from "../support/agent.ts";
import { eventually } from "../support/eventually.ts";
import { postTo } from "../support/nodes.ts";
import { BoardProcess, emptyDirectory } from "../support/process.ts";
import { noDisk, SmallDisk, WITH_DISK } from "../support/small-disk.ts";

/** A separate disk for a process and its children, in a namespace that any user may make if the system allows it. */
const MOUNTED = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", 'mount -t tmpfs -o size=8m none "$0" && exec "$@"'];
const canMount = spawnSync(MOUNTED[0]!, [...MOUNTED.slice(1), emptyDirectory(), "true"]).status === 0;
const WITH_MOUNT = canMount ? "" : "(skipped: a disk of its own needs a namespace of users)";

test.skipIf(!canMount)(`a full disk is told by every probe and once in the log, until there is room again ${WITH_MOUNT}`, async () => {
  const disk = emptyDirectory();
  const flags = ["--pow-bits", String(TEST_BITS), "--rate-limits", "off"];
  await using board = await BoardProcess.serve(join(disk, "board"), flags, {}, [...MOUNTED, disk]);
  const agent = new Agent();
  const first = await postTo(board.url, agent.envelope({ kind: "note", body: "before" }));
  // Through the process, because only it and its children see that disk.
  const filler = `/proc/${board.pid}/root${disk}/filler`;
  for (let bytes = 1024 * 1024; bytes >= 4096; bytes /= 4)
    for (let i = 0; i < 40; i++)
      try {
        writeFileSync(`${filler}-${bytes}-${i}`, Buffer.alloc(bytes));
      } catch {
        rmSync(`${filler}-${bytes}-${i}`, { force: true });
        break;
      }
  const body = "x".repeat(16_000);
  const post = async () => {
    const response = await fetch(`${board.url}/api/messages`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(agent.envelope({ kind: "note", body })),
    });
    return { status: response.status, code: ((await response.json()) as { error?: { code: string } }).error?.code };
  };
  await eventually("a full disk", async () => ((await post()).code === "storage_full" ? true : undefined));
  for (let i = 0; i < 200; i++) await post();

  const get = async (path: string) => {
    const response = await fetch(`${board.url}${path}`);
    return { status: response.status, text: await response.text() };
  };
  const ready = await get("/readyz");
  expect([ready.status, JSON.parse(ready.text)]).toMatchObject([200, { status: "not_writable", writing: "storage_full" }]);
  const writing = await get("/readyz/writing");
  expect([writing.status, JSON.parse(writing.text)]).toMatchObject([503, { error: { code: "storage_full" } }]);
  expect((await get("/metrics")).text).toMatch(/^blackboard_writable 0$/m);
  expect((await get(`/api/messages/${first.id}`)).status).toBe(200);
  const inside = ["nsenter", "--target", String(board.pid), "--user", "--mount", "--preserve-credentials"];
  const stats = await BoardProcess.spawn({ args: ["operate", "stats", "--data", join(disk, "board")], under: inside }).ended;
  expect([stats.code, stats.stdout]).toEqual([0, expect.stringMatching(/^writing +no: storage_full: /m)]);
  const lines = () => board.stderr.split("\n").filter((line) => line.includes("writing"));
  expect(lines()).toEqual([expect.stringContaining("writing has stopped: the disk is full")]);
  expect(board.stderr).not.toContain("stack");

  for (let bytes = 1024 * 1024; bytes >= 4096; bytes /= 4) for (let i = 0; i < 40; i++) rmSync(`${filler}-${bytes}-${i}`, { force: true });
  // Nobody posts: the board notices by itself.
  await eventually("room", async () => ((await get("/readyz/writing")).status === 200 ? true : undefined));
  expect((await post()).status).toBe(201);
  expect((await get("/metrics")).text).toMatch(/^blackboard_writable 1$/m);
  expect(lines()).toHaveLength(2);
  expect(lines()[1]).toContain('"msg":"writing works again"');
});

test.skipIf(noDisk)(
  `a request for the signed head is refused because the disk is full or read-only, and not as a fault ${WITH_DISK}`,
  async () => {
    using disk = await SmallDisk.mount(8);
    await using board = await BoardProcess.serve(join(disk.path, "board"), ["--pow-bits", String(TEST_BITS)], {}, disk.under);
    await postTo(board.url, new Agent().envelope({ kind: "note", body: "before" }));
    const head = async () => {
      const response = await fetch(`${board.url}/api/checkpoint`);
      const { error } = (await response.json()) as { error?: { code: string; message: string } };
      return [response.status, error?.code, error?.message];
    };
    disk.fill();
    expect(await head()).toEqual([503, "storage_full", "The board's disk is full."]);
    disk.freeSpace();
    disk.seal();
    expect(await head()).toEqual([503, "read_only", "No new head can be signed, because its file cannot be written."]);
  },
);
