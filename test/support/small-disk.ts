// A disk that can be full, or read-only, where the system lets the tests mount one.
import { spawnSync } from "node:child_process";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { smallDisk } from "../../prove/support/machine.ts";

const canMount = (): boolean => {
  try {
    smallDisk(1)[Symbol.dispose]();
    return true;
  } catch {
    return false;
  }
};
export const noDisk = !canMount();
export const WITH_DISK = noDisk ? "(skipped: mounting a small file system needs root)" : "";

export class SmallDisk implements Disposable {
  readonly #mounted;
  readonly path: string;

  constructor(megabytes: number) {
    this.#mounted = smallDisk(megabytes);
    this.path = this.#mounted.path;
  }

  /** To the last byte. */
  fill(): void {
    for (let size = 1 << 20; size >= 1; size = Math.floor(size / 2))
      try {
        for (;;) writeFileSync(join(this.path, "filler"), Buffer.alloc(size), { flag: "a" });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
      }
  }

  makeRoom(): void {
    rmSync(join(this.path, "filler"), { force: true });
  }

  mount(how: "ro" | "rw"): void {
    const { status, stderr } = spawnSync("mount", ["-o", `remount,${how}`, this.path], { encoding: "utf8" });
    if (status !== 0) throw new Error(`It cannot be mounted ${how}: ${stderr}`);
  }

  [Symbol.dispose](): void {
    if (existsSync(this.path)) this.#mounted[Symbol.dispose]();
  }
}
