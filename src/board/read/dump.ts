// Everything that is live, as JSON lines, read a piece at a time and only as fast as somebody takes it.
import { type Include, recordOf } from "../../core/view/record.ts";
import type { Clock } from "../../ports/clock.ts";
import { nextSlice, sliced } from "../../ports/share.ts";
import type { LogReads, MessageReads } from "../../ports/store.ts";

/** The lines, and where the log stood when they were begun. */
export type Dump = () => Promise<{ readonly seq: number; readonly lines: AsyncIterable<string> }>;

const SIGNED: ReadonlySet<Include> = new Set(["raw"]);

export interface DumpParts {
  readonly messages: Pick<MessageReads, "dump">;
  readonly log: Pick<LogReads, "head">;
  readonly clock: Clock;
  readonly baseUrl: string;
}

export function dumper({ messages, log, clock, baseUrl }: DumpParts): Dump {
  return async () => {
    // Up to where the log stands now: on a busy board it would otherwise never end for a slow reader.
    const { seq } = await log.head();
    return { seq, lines: linesUpTo(seq) };
  };

  async function* linesUpTo(upTo: number): AsyncIterable<string> {
    for (let after = 0; ;) {
      const now = clock.now();
      const piece = await messages.dump(after, upTo, now);
      const last = piece.at(-1);
      if (last === undefined) return;
      const lines: string[] = [];
      await sliced(piece, (card) => void lines.push(`${JSON.stringify(recordOf(card, SIGNED, now, baseUrl))}\n`));
      yield lines.join("");
      after = last.standing.seq;
      await nextSlice();
    }
  }
}
