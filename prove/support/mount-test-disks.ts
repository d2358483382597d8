// What a proof needs from this machine, with a clear error if the machine does not have it.
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmdirSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { undoAtExit } from "../../test/support/leftovers.ts";
import { emptyDirectory } from "../../test/support/process.ts";
import { NotHere } from "../part.ts";

/** A directory with its own, small disk. */
export function smallDisk(megabytes: number): Mounted {
  return mounted("small-disk-", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs"], "mounting a small file system needs root");
}

interface Mounted extends Disposable {
  readonly path: string;
}

interface ImageDisk extends Mounted {
  readonly image: string;
}

/** A directory whose disk is an image file: data that the system has not written yet is not in the file. */
export function imageDisk(megabytes: number): ImageDisk {
  const image = join(emptyDirectory(), "disk.img");
  writeFileSync(image, "");
  truncateSync(image, megabytes * 2 ** 20);
  if (spawnSync("mkfs.ext4", ["-q", "-F", image]).status !== 0) throw new NotHere("there is no mkfs.ext4");
  return mountImage(image);
}

/** Within the time of a proof, only a sync makes this file system write its journal. */
export function mountImage(image: string): ImageDisk {
  const disk = mounted("image-disk-", ["-o", "loop,commit=600", image], "mounting a disk image needs root");
  chmodSync(disk.path, 0o777);
  return { ...disk, image };
}

function mounted(prefix: string, what: readonly string[], lacking: string): Mounted {
  const path = mkdtempSync(join(tmpdir(), prefix));
  if (spawnSync("mount", [...what, path]).status !== 0) {
    rmdirSync(path);
    throw new NotHere(lacking);
  }
  const unmount = (): void => {
    // Lazily, because a process that was just killed may still have a file open there.
    spawnSync("umount", ["-l", path]);
    rmdirSync(path);
  };
  const forget = undoAtExit(unmount);
  return {
    path,
    [Symbol.dispose]() {
      unmount();
      forget();
    },
  };
}
