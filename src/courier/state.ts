// The saved state of a courier: the position up to which it has delivered, what failed, and what it still has to acknowledge. Written atomically.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { type DeliveredFile, deliveredFile } from "./delivered.ts";
import { replaceFile } from "../adapters/system/replace-file.ts";
import { addLine, linesOf } from "./line-file.ts";

/** Without an id it is only acknowledged as seen. */
const unacked = z.strictObject({ id: z.string().optional(), seq: z.number().int(), why: z.string().optional() });
export type Unacked = z.infer<typeof unacked>;

const form = z.strictObject({
  v: z.literal(1),
  board: z.string(),
  agent: z.string(),
  /** Everything up to this seq was delivered, set aside or not wanted. */
  cursor: z.number().int().min(0),
  /** Of the entry at `cursor`, only the changes to messages up to this seq; all of them if left out. */
  within: z.number().int().optional(),
  /** The next message, if it has failed, and how often. */
  failed: z.strictObject({ seq: z.number().int(), name: z.string().optional(), times: z.number().int() }).optional(),
  /** Delivered, and not yet acknowledged at the board. */
  unacked: z.array(unacked),
  /** Identifies the log that was delivered from, by an entry at `cursor` or after it. */
  mark: z.strictObject({ seq: z.number().int(), hash: z.string() }).optional(),
  /** Where this delivery began; nothing before it is delivered. */
  began: z.strictObject({ seq: z.number().int(), at: z.string() }).optional(),
  /** How many lines of the file of delivered messages belong to this state. */
  lines: z.number().int().optional(),
});
export type DeliveryState = z.infer<typeof form>;

const setAside = z.object({ id: z.string(), seq: z.number(), at: z.string(), times: z.number(), why: z.string() });
export type SetAside = z.infer<typeof setAside>;

export interface StateFile {
  read(): DeliveryState | undefined;
  /** On disk when it returns; a crash leaves the state before it. */
  write(state: DeliveryState): void;
  setAside(one: SetAside): void;
  allSetAside(): readonly SetAside[];
  readonly delivered: DeliveredFile;
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
          `The state ${path} cannot be read. It says what was delivered. If you move it away, the courier begins where \`from\` says.`,
          { cause: error },
        );
      }
    },
    // After a crash before this, the old state counts: what was delivered since is delivered again.
    write: (state) => replaceFile(path, `${JSON.stringify(state)}\n`),
    // After a crash between this and the new state, the message is in the file twice.
    setAside: (one) => addLine(aside, one),
    allSetAside: () => [...new Map(linesOf(aside, setAside).map((one) => [one.id, one])).values()],
    delivered: deliveredFile(join(directory, `${name}.delivered.jsonl`)),
  };
}
