// What a courier must not forget: up to where it has delivered, what failed, and what it still has to acknowledge. Whole on disk, or as before.
import { appendFileSync, closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { syncDirectory, syncFile } from "../adapters/system/sync.ts";

/** Of what has no id there is nothing to act on: it was only seen. */
const unacked = z.strictObject({ id: z.string().optional(), seq: z.number().int(), why: z.string().optional() });
export type Unacked = z.infer<typeof unacked>;

const form = z.strictObject({
  v: z.literal(1),
  board: z.string(),
  agent: z.string(),
  /** Everything up to this seq was delivered, set aside or not asked for. */
  cursor: z.number().int().min(0),
  /** Of the entry at `cursor` only what is about messages up to this seq; all of it where left out. */
  within: z.number().int().optional(),
  /** The next message, and how often it failed. */
  failed: z.strictObject({ seq: z.number().int(), name: z.string().optional(), times: z.number().int() }).optional(),
  /** Delivered, and not yet told to the board. */
  unacked: z.array(unacked),
});
export type DeliveryState = z.infer<typeof form>;

export interface SetAside {
  readonly id: string;
  readonly seq: number;
  readonly at: string;
  readonly times: number;
  readonly why: string;
}

export interface StateFile {
  read(): DeliveryState | undefined;
  /** On disk when it returns; a crash leaves the state before it. */
  write(state: DeliveryState): void;
  setAside(one: SetAside): void;
  allSetAside(): readonly SetAside[];
}

export function stateFile(directory: string, name: string): StateFile {
  const path = join(directory, `${name}.json`);
  const aside = join(directory, `${name}.set-aside.jsonl`);
  return {
    read() {
      if (!existsSync(path)) return undefined;
      try {
        return form.parse(JSON.parse(readFileSync(path, "utf8")));
      } catch (error) {
        throw new Error(
          `The state ${path} cannot be read. It says what was delivered; without it the courier begins where \`from\` says. Move it away to begin so.`,
          { cause: error },
        );
      }
    },
    write(state) {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      const next = `${path}.next`;
      const file = openSync(next, "w", 0o600);
      try {
        writeSync(file, `${JSON.stringify(state)}\n`);
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
      // A crash here leaves the old state: what was delivered since is delivered again.
      renameSync(next, path);
      syncDirectory(dirname(path));
    },
    setAside(one) {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      appendFileSync(aside, `${JSON.stringify(one)}\n`, { mode: 0o600 });
      syncFile(aside);
      // A crash here sets it aside twice: once more in the file, never less.
      syncDirectory(directory);
    },
    allSetAside() {
      if (!existsSync(aside)) return [];
      const all = readFileSync(aside, "utf8").split("\n").flatMap(asideOf);
      return [...new Map(all.map((one) => [one.id, one])).values()];
    },
  };
}

/** A crash may have cut the last line. */
function asideOf(line: string): SetAside[] {
  try {
    return [JSON.parse(line) as SetAside];
  } catch {
    return [];
  }
}
