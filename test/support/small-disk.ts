// A disk that can be full or read-only, for processes in its namespace. Nobody else sees it, and it ends with the last of them.
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { undoAtExit } from "./leftovers.ts";
import { emptyDirectory } from "./process.ts";

/** Users other than root become root in a user namespace, if the system allows that. */
const isRoot = process.getuid?.() === 0;
const UNSHARE = ["--mount", ...(isRoot ? [] : ["--user", "--map-root-user"])];
const ENTER = ["--mount", ...(isRoot ? [] : ["--user", "--preserve-credentials"])];
const MOUNT = 'mount -t tmpfs -o "size=$1m" none "$0" && echo mounted && exec cat';

export const noDisk = spawnSync("unshare", [...UNSHARE, "sh", "-c", MOUNT, emptyDirectory(), "1"], { input: "" }).status !== 0;
export const WITH_DISK = noDisk ? "(skipped: a disk of its own needs root or a namespace of users)" : "";

export class SmallDisk implements Disposable {
  /** Its path for processes that run under it. */
  readonly path: string;
  /** The command that runs another one in the namespace of the disk. */
  readonly under: readonly string[];
  /** Its path for everybody else. */
  readonly seen: string;
  readonly #holder: ChildProcess;
  readonly #forget: () => void;

  private constructor(path: string, holder: ChildProcess) {
    this.path = path;
    this.under = ["nsenter", "--target", String(holder.pid), ...ENTER, "--"];
    this.seen = join("/proc", String(holder.pid), "root", path);
    this.#holder = holder;
    this.#forget = undoAtExit(() => holder.kill("SIGKILL"));
  }

  static async mount(megabytes: number): Promise<SmallDisk> {
    const path = emptyDirectory();
    // The holder waits for the end of its input, which comes at the latest when this process ends.
    const holder = spawn("unshare", [...UNSHARE, "sh", "-c", MOUNT, path, String(megabytes)], { stdio: ["pipe", "pipe", "inherit"] });
    await once(holder.stdout, "data");
    return new SmallDisk(path, holder);
  }

  /** Fills it to the last byte. */
  fill(): void {
    for (let size = 1 << 20; size >= 1; size = Math.floor(size / 2))
      try {
        for (;;) writeFileSync(join(this.seen, "filler"), Buffer.alloc(size), { flag: "a" });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
      }
  }

  freeSpace(): void {
    rmSync(join(this.seen, "filler"), { force: true });
  }

  /** Applies to files opened from now on; files that are open for writing stay writable. */
  seal(): void {
    for (const how of [
      ["--bind", this.path],
      ["-o", "remount,bind,ro"],
    ]) {
      const [command, ...args] = [...this.under, "mount", ...how, this.path];
      execFileSync(command, args);
    }
  }

  [Symbol.dispose](): void {
    this.#holder.kill("SIGKILL");
    this.#forget();
  }
}
