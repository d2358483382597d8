// All live messages as JSON lines, read in chunks and only as fast as the reader takes them.
import { type Include, recordOf } from "../../core/view/record.ts";
import { nextSlice, sliced } from "../../ports/cpu-slices.ts";
import type { ReaderParts } from "./reader-parts.ts";

/** The lines, and the head of the log when they were begun. */
export type Dump = () => Promise<{ readonly seq: number; readonly lines: AsyncIterable<string> }>;

const SIGNED: ReadonlySet<Include> = new Set(["raw"]);

export function dumper({ messages, log, clock }: Pick<ReaderParts, "messages" | "log" | "clock">, baseUrl: string): Dump {
  return async () => {
    // Up to the present head of the log: on a busy board the dump would otherwise never end for a slow reader.
    const { seq } = await log.head();
    return { seq, lines: linesUpTo(seq) };
  };

  async function* linesUpTo(upTo: number): AsyncIterable<string> {
    for (let after = 0; ;) {
      const now = clock.now();
      const batch = await messages.dump(after, upTo, now);
      const last = batch.at(-1);
      if (last === undefined) return;
      const lines: string[] = [];
      await sliced(batch, (stored) => void lines.push(`${JSON.stringify(recordOf(stored, SIGNED, now, baseUrl))}\n`));
      yield lines.join("");
      after = last.state.seq;
      await nextSlice();
    }
  }
}
