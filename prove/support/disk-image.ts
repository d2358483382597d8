// A disk as it would be after a power cut: what was synced, and of what was not, as much or as little as chance leaves.
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
  /** Writes, and cuts to a length (`bytes` undefined), since the last sync. */
  pending: Write[] = [];

  sync(): void {
    for (const write of this.pending) this.synced.apply(write);
    this.pending = [];
  }

  /** Where the next write goes that does not say where. */
  get end(): number {
    return this.pending.reduce((size, { at, bytes }) => (bytes === undefined ? at : Math.max(size, at + bytes.length)), this.synced.size);
  }
}

/** Follows what a traced process (`strace -y -xx`) did to the files under a directory. */
export class DiskImage {
  readonly #root: string;
  readonly #files = new Map<string, File>();

  constructor(root: string) {
    this.#root = root;
  }

  follow(call: Call): void {
    if (call.result.startsWith("-1")) return;
    const path = fileOf(call);
    if (call.name === "rename" || call.name === "unlink") this.#move(call);
    else if (call.name === "fsync" || call.name === "fdatasync") this.#files.get(path)?.sync();
    else if (path.startsWith(this.#root) && !path.endsWith("-shm")) this.#file(path).pending.push(writeOf(call, this.#file(path).end));
  }

  /** Writes the disk of this moment; `survives` says of each write that was not synced whether it reached the disk all the same. */
  writeTo(directory: string, survives: () => boolean): void {
    for (const [path, { synced, pending }] of this.#files) {
      const target = join(directory, relative(this.#root, path));
      mkdirSync(dirname(target), { recursive: true });
      const content = new Content();
      for (const write of [{ at: 0, bytes: synced.bytes }, ...pending.filter(survives)]) content.apply(write);
      writeFileSync(target, content.bytes);
    }
  }

  #file(path: string): File {
    let file = this.#files.get(path);
    if (file === undefined) this.#files.set(path, (file = new File()));
    return file;
  }

  #move(call: Call): void {
    const [from = "", to = ""] = bytesIn(call).map((path) => path.toString("utf8"));
    const file = this.#files.get(from);
    if (file === undefined) return;
    this.#files.delete(from);
    if (call.name === "rename") this.#files.set(to, file);
  }
}

function writeOf(call: Call, end: number): Write {
  const at = Number(/, (\d+)$/.exec(call.args)?.[1]);
  if (call.name === "ftruncate") return { at, bytes: undefined };
  const [bytes] = bytesIn(call);
  if (bytes === undefined) throw new Error(`no bytes in ${call.name}(${call.args.slice(0, 100)})`);
  return { at: call.name === "pwrite64" ? at : end, bytes: bytes.subarray(0, Number(call.result)) };
}
