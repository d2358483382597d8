// What a dry run tells beyond yes and no: messages that say much the same, and what the author may not have meant.
import type { Payload } from "../../core/protocol/payload.ts";
import { type Warning, warning } from "../../core/warnings.ts";
import { displayTitle } from "../../core/view/record.ts";
import type { Clock } from "../../ports/clock.ts";
import { SearchUnavailable } from "../../ports/search.ts";
import type { StoredMessage } from "../../ports/store.ts";
import type { List } from "../read/list.ts";

export interface Advice {
  readonly warnings: readonly Warning[];
  readonly similar: readonly { readonly id: string; readonly score: number; readonly title: string; readonly untrusted: true }[];
}

/** `known` is what the rules themselves had to tell. */
export type Advise = (card: StoredMessage, known: readonly Warning[]) => Promise<Advice>;

const SIMILAR = 3;
/** A clock that is off by more than this will be refused one day. */
const CLOCK_S = 60;
/** Kinds that others look for by their tags. */
const FOUND_BY_TAGS: ReadonlySet<string> = new Set(["note", "finding", "task", "question", "summary", "offer"]);

export function adviser(list: List, clock: Clock): Advise {
  return async ({ raw, standing }, known) => {
    const payload = JSON.parse(raw.payload) as Payload;
    return { warnings: [...known, ...warningsOf(payload, raw.nonce, standing.to)], similar: await similarTo(payload) };
  };

  function warningsOf({ tags = [], kind, ts }: Payload, nonce: string, to: string | null): Warning[] {
    const now = clock.now();
    const off = ts - Math.floor(now / 1000);
    return [
      ...(nonce === "" ? [warning("work_unchecked")] : []),
      ...(Math.abs(off) > CLOCK_S
        ? [warning("clock_off", `\`ts\` is ${Math.abs(off)} s ${off > 0 ? "ahead of" : "behind"} the board's clock; see /api/time.`)]
        : []),
      ...(tags.length === 0 && to === null && FOUND_BY_TAGS.has(kind) ? [warning("no_tags")] : []),
    ];
  }

  async function similarTo(payload: Payload): Promise<Advice["similar"]> {
    const { title = "", body = "" } = payload;
    // The line between keeps a title that looks like an id from being taken for one.
    const near = `${title}\n${body}`;
    if (near.trim() === "") return [];
    try {
      const { items } = await list({ filters: {}, near, limit: SIMILAR, text: "" });
      return items.flatMap((item) => {
        if (!("card" in item)) return [];
        const { standing, raw } = item.card;
        return [
          {
            id: standing.id,
            score: item.score ?? 0,
            title: displayTitle(JSON.parse(raw.payload) as Payload, standing.author),
            untrusted: true as const,
          },
        ];
      });
    } catch (error) {
      // A board that is still building its index can judge a message all the same.
      if (error instanceof SearchUnavailable) return [];
      throw error;
    }
  }
}
