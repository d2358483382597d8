// A directory that could not be filled must not look like one that was, or stand in the way of the next try.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { emptyDirectory } from "../../../test/support/process.ts";
import { allOrNothing } from "./fill-directory-atomically.ts";

const unfinished = (dir: string): void => {
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, "board.db.next"), "half");
};

test("what fails leaves nothing, and what was there before stays", async () => {
  const [made, existing] = [join(emptyDirectory(), "made"), emptyDirectory()];
  writeFileSync(join(existing, "board.key"), "");
  for (const dir of [made, existing])
    await expect(
      allOrNothing(dir, async () => {
        unfinished(dir);
        throw new Error("half way");
      }),
    ).rejects.toThrow("half way");
  expect([existsSync(made), readdirSync(existing)]).toEqual([false, ["board.key"]]);
  expect(await allOrNothing(made, async () => unfinished(made))).toBeUndefined();
  expect(readdirSync(made)).toEqual(["board.db.next"]);
});

test("a full disk is reported with the directory", async () => {
  const dir = join(emptyDirectory(), "made");
  const full = async (): Promise<void> => {
    throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
  };
  await expect(allOrNothing(dir, full)).rejects.toThrow(`The disk that holds ${dir} is full. Free some space, and try again.`);
});

const FILLING = `
  const [dir] = process.argv.slice(1);
  const { mkdirSync, writeFileSync } = await import("node:fs");
  const { allOrNothing } = await import("./fill-directory-atomically.ts");
  setInterval(() => {}, 1000);
  await allOrNothing(dir, () => {
    mkdirSync(dir);
    writeFileSync(dir + "/board.db.next", "half");
    console.log("filling");
    return new Promise(() => {});
  });
`;

test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("%s ends it at once, as it would anything else, and leaves nothing", async (signal) => {
  const dir = join(emptyDirectory(), "made");
  const child = spawn(process.execPath, ["--input-type=module", "-e", FILLING, dir], {
    cwd: import.meta.dirname,
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  expect(readdirSync(dir)).toEqual(["board.db.next"]);
  child.kill(signal);
  expect(await once(child, "exit")).toEqual([null, signal]);
  expect(existsSync(dir)).toBe(false);
});
