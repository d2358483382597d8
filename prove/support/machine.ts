// What of this machine a proof needs, and a plain word where it is not there.
import { spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NotHere } from "../part.ts";

/** A directory with its own, small disk. */
export function smallDisk(megabytes: number): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), "small-disk-"));
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", path]);
  if (mounted.status !== 0) throw new NotHere("mounting a small file system needs root");
  return {
    path,
    [Symbol.dispose]() {
      spawnSync("umount", [path]);
    },
  };
}
