// A disk as it would be after a power cut: everything that was synced, and a random part of what was not.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { bytesIn, type Call, fileOf } from "./trace.ts";

interface Write {
  readonly at: number;
  readonly bytes: Buffer | undefined;
}

class Content {
  #bytes = Buffer.alloc(1 << 16);
  size = 0;

  apply({ at, bytes }: Write): void {
    const end = at + (bytes?.length ?? 0);
    while (end > this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes, Buffer.alloc(this.#bytes.length)]);
    if (bytes === undefined) this.#bytes.fill(0, at);
    else bytes.copy(this.#bytes, at);
    this.size = bytes === undefined ? at : Math.max(this.size, end);
  }

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.size);
  }
}

class File {
  readonly synced = new Content();
  /** Writes and truncations (`bytes` undefined) since the last sync. */
  pending: Write[] = [];

  sync(): void {
    for (const write of this.pending) this.synced.apply(write);
    this.pending = [];
  }

  /** The position of the next write that gives none. */
  get end(): number {
    return this.pending.reduce((size, { at, bytes }) => (bytes === undefined ? at : Math.max(size, at + bytes.length)), this.synced.size);
  }
}

/** Applies the file operations of a traced process (`strace -y -xx`) under a directory. */
export class DiskImage {
  readonly #root: string;
  readonly #files = new Map<string, File>();

  constructor(root: string) {
    this.#root = root;
  }

  follow(call: Call): void {
    if (call.result.startsWith("-1")) return;
    const path = fileOf(call);
    if (/^(?:rename|link|unlink)/.test(call.name)) this.#rename(call);
    else if (call.name === "fsync" || call.name === "fdatasync") this.#files.get(path)?.sync();
    else if (path.startsWith(this.#root) && !path.endsWith("-shm")) this.#file(path).pending.push(writeOf(call, this.#file(path).end));
  }

  /** Writes the disk as of this moment; `survives` decides for each unsynced write whether it reached the disk. */
  writeTo(directory: string, survives: () => boolean): void {
    for (const [path, { synced, pending }] of this.#files) {
      const target = join(directory, relative(this.#root, path));
      mkdirSync(dirname(target), { recursive: true });
      const content = new Content();
      for (const write of [{ at: 0, bytes: synced.bytes }, ...pending.filter(survives)]) content.apply(write);
      // With the mode that the board uses: it refuses a key file that others may read.
      writeFileSync(target, content.bytes, { mode: 0o600 });
    }
  }

  #file(path: string): File {
    let file = this.#files.get(path);
    if (file === undefined) this.#files.set(path, (file = new File()));
    return file;
  }

  /** Renames count as synced at once; only contents are lost. */
  #rename(call: Call): void {
    const [from = "", to = ""] = bytesIn(call).map((path) => path.toString("utf8"));
    const file = this.#files.get(from);
    if (file === undefined) return;
    if (!call.name.startsWith("unlink")) this.#files.set(to, file);
    if (!call.name.startsWith("link")) this.#files.delete(from);
  }
}

function writeOf(call: Call, end: number): Write {
  const at = Number(/, (\d+)$/.exec(call.args)?.[1]);
  if (call.name === "ftruncate") return { at, bytes: undefined };
  const [bytes] = bytesIn(call);
  if (bytes === undefined) throw new Error(`no bytes in ${call.name}(${call.args.slice(0, 100)})`);
  return { at: call.name === "pwrite64" ? at : end, bytes: bytes.subarray(0, Number(call.result)) };
}
