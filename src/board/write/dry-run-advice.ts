// The advice in the answer to a dry run or to new work: similar messages, and warnings about likely mistakes.
import type { Payload } from "../../core/protocol/payload.ts";
import { type Warning, warning } from "../../core/warnings.ts";
import { isWorkable, type Status } from "../../core/protocol/vocabulary.ts";
import { type Include, recordOf } from "../../core/view/record.ts";
import type { Clock } from "../../ports/clock.ts";
import { SearchUnavailable } from "../../ports/search.ts";
import type { StoredMessage } from "../../ports/store.ts";
import type { List } from "../read/list.ts";

export interface Advice {
  readonly warnings: readonly Warning[];
  readonly similar: readonly Similar[];
}

/** A similar message; its title was written by a stranger. */
export interface Similar {
  readonly id: string;
  readonly score: number;
  readonly title: string;
  readonly status: Status;
  readonly claimed_by: string | null;
  readonly untrusted: true;
}

export interface Adviser {
  /** The advice for a dry run; `known` are the warnings of the rules themselves. */
  readonly advise: (stored: StoredMessage, known: readonly Warning[]) => Promise<Advice>;
  /** Messages similar to one that was posted; none if that cannot be told at once. Never fails, because the message is on the board. */
  readonly similarTo: (stored: StoredMessage) => Promise<readonly Similar[]>;
}

interface Found {
  readonly kind: string;
  readonly shown: Similar;
}
const isOpenWork = ({ kind, shown: { status } }: Found): boolean => isWorkable(kind) && (status === "open" || status === "claimed");

const NOTHING_MORE: ReadonlySet<Include> = new Set();
const SIMILAR = 3;
/** After a flood of posts, the index may need longer than an author should wait. */
export const PATIENCE_MS = 3000;
/** A clock that is off by more than this may soon be off too far, and is warned of. */
const CLOCK_S = 60;
/** Kinds that others look for by their tags. */
const FOUND_BY_TAGS: ReadonlySet<string> = new Set(["note", "finding", "task", "question", "summary", "offer"]);

export function adviser(list: List, clock: Clock): Adviser {
  return {
    async advise({ raw, state }, known) {
      const payload = JSON.parse(raw.payload) as Payload;
      const found = await foundLike(payload, state.id);
      const openWork = isWorkable(payload.kind) && found.some(isOpenWork) ? [warning("similar_open_work")] : [];
      return {
        warnings: [...known, ...warningsOf(payload, raw.nonce, state), ...openWork],
        similar: found.map(({ shown }) => shown),
      };
    },
    async similarTo({ raw, state }) {
      const found = await unlessLate(foundLike(JSON.parse(raw.payload) as Payload, state.id).catch(() => []));
      return found.map(({ shown }) => shown);
    },
  };

  /** What was found, or nothing if that takes too long. */
  function unlessLate(found: Promise<readonly Found[]>): Promise<readonly Found[]> {
    const { promise: late, resolve } = Promise.withResolvers<readonly Found[]>();
    const cancel = clock.at(clock.now() + PATIENCE_MS, () => resolve([]));
    return Promise.race([found, late]).finally(cancel);
  }

  function warningsOf({ tags = [], kind, ts }: Payload, nonce: string, { to, spreading }: StoredMessage["state"]): Warning[] {
    const now = clock.now();
    const off = ts - Math.floor(now / 1000);
    return [
      ...(nonce === "" ? [warning("work_unchecked")] : []),
      ...(Math.abs(off) > CLOCK_S
        ? [warning("clock_off", `\`ts\` is ${Math.abs(off)} s ${off > 0 ? "ahead of" : "behind"} the board's clock; see /api/time.`)]
        : []),
      ...(spreading ? [warning("spreading")] : []),
      ...(tags.length === 0 && to === null && FOUND_BY_TAGS.has(kind) ? [warning("no_tags")] : []),
    ];
  }

  async function foundLike({ title = "", body = "" }: Payload, own: string): Promise<readonly Found[]> {
    // The line break keeps a title that looks like an id from being read as one.
    const near = `${title}\n${body}`;
    if (near.trim() === "") return [];
    try {
      const { items } = await list({ filters: {}, near, limit: SIMILAR + 1, fingerprint: "" });
      const found = items.flatMap((item) => {
        if (!("stored" in item) || item.stored.state.id === own) return [];
        const { id, meta, derived } = recordOf(item.stored, NOTHING_MORE, clock.now(), "");
        const { display_title: title, status, claimed_by } = derived;
        return [{ kind: meta.kind, shown: { id, score: item.score ?? 0, title, status, claimed_by, untrusted: true as const } }];
      });
      return found.slice(0, SIMILAR);
    } catch (error) {
      // A board that is still building its index can check a message anyway.
      if (error instanceof SearchUnavailable) return [];
      throw error;
    }
  }
}
