// Remembers delivered messages as long as they can come again, so that nothing is delivered twice if the board is restored from an older copy.
import { z } from "zod";
import { DAY_MS } from "../core/durations.ts";
import { LIMITS } from "../core/protocol/limits.ts";
import type { InboxPlace, LogMark } from "./adapter.ts";
import { replaceFile } from "../adapters/system/replace-file.ts";
import { addLine, linesOf } from "./line-file.ts";

const lineForm = z.object({
  n: z.number().int(),
  /** When it was delivered, in Unix milliseconds. */
  at: z.number(),
  names: z.array(z.string()),
  /** The position up to which messages were delivered then. */
  cursor: z.number().int(),
  within: z.number().int().optional(),
  /** Identifies the log that it came from; left out if the board no longer has that log. */
  mark: z.object({ seq: z.number().int(), hash: z.string() }).optional(),
});
export type DeliveredLine = z.infer<typeof lineForm>;

export interface DeliveredFile {
  /** Uses the first `lines` lines; a crash left the later ones without a state. */
  open(lines: number, now: number): DeliveredBook;
}

export interface DeliveredBook {
  has(name: string): boolean;
  /** On disk when it returns. Returns the new number of lines. */
  add(names: readonly string[], place: InboxPlace, mark: LogMark | undefined, now: number): number;
  /** The lines with a mark, oldest first. */
  marked(): readonly DeliveredLine[];
  /** The board has another log after this line: the names of later lines still count as delivered, but their positions mean nothing any more. */
  forkedAfter(n: number): void;
}

/** No message lives longer, so after this time it is in no inbox. */
const RETAINED_MS = LIMITS.ttl_max_s * 1000 + DAY_MS;
/** The file is rewritten once it has this many lines that are not needed any more. */
const MOST_OLD = 1000;

export const deliveredFile = (path: string): DeliveredFile => ({
  open(count, start) {
    let lines = linesOf(path, lineForm).filter(({ n }) => n <= count);
    const names = new Map(lines.flatMap((line) => line.names.map((name) => [name, line.n])));
    let last = count;
    const rewrite = (): void => replaceFile(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    const dropOld = (now: number): void => {
      const first = lines.findIndex(({ at }) => at > now - RETAINED_MS);
      for (const line of lines.splice(0, first === -1 ? lines.length : first))
        for (const name of line.names) if (names.get(name) === line.n) names.delete(name);
    };
    dropOld(start);
    rewrite();
    return {
      has: (name) => names.has(name),
      add(given, place, mark, now) {
        const line = { n: ++last, at: now, names: [...given], ...place, ...(mark === undefined ? {} : { mark }) };
        addLine(path, line);
        lines.push(line);
        for (const name of given) names.set(name, line.n);
        const isOld = ({ at }: DeliveredLine): boolean => at <= now - RETAINED_MS;
        if (lines[MOST_OLD] !== undefined && isOld(lines[MOST_OLD])) {
          dropOld(now);
          rewrite();
        }
        return last;
      },
      marked: () => lines.filter(({ mark }) => mark !== undefined),
      forkedAfter(n) {
        lines = lines.map((line) => (line.n <= n ? line : { ...line, mark: undefined }));
        rewrite();
      },
    };
  },
});
