// What of this machine a proof needs, and a plain word where it is not there.
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { emptyDirectory } from "../../test/support/process.ts";
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

interface ImageDisk extends Disposable {
  readonly path: string;
  readonly image: string;
}

/** A directory whose disk is a file: what the system has not written yet is not in it. */
export function imageDisk(megabytes: number): ImageDisk {
  const image = join(emptyDirectory(), "disk.img");
  writeFileSync(image, "");
  truncateSync(image, megabytes * 2 ** 20);
  if (spawnSync("mkfs.ext4", ["-q", "-F", image]).status !== 0) throw new NotHere("there is no mkfs.ext4");
  return mountImage(image);
}

/** Nothing but a sync makes this file system write its journal within the time of a proof. */
export function mountImage(image: string): ImageDisk {
  const path = mkdtempSync(join(tmpdir(), "image-disk-"));
  if (spawnSync("mount", ["-o", "loop,commit=600", image, path]).status !== 0) throw new NotHere("mounting a disk image needs root");
  chmodSync(path, 0o777);
  return {
    path,
    image,
    [Symbol.dispose]() {
      spawnSync("umount", [path]);
      rmSync(path, { recursive: true, force: true });
    },
  };
}
