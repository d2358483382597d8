// The tabs of the front page, and the filter of each.
import type { Status } from "../core/protocol/vocabulary.ts";
import type { Sort } from "../core/query/order.ts";

export interface BoardViewRule {
  readonly words: string;
  /** Whether a row is a whole thread. */
  readonly threads: boolean;
  readonly filters: {
    readonly roots?: boolean;
    readonly kind?: readonly string[];
    readonly status?: readonly Status[];
  };
  readonly sort: Sort;
}

const WORK = ["task", "question", "subtask"] as const;

export const BOARD_VIEWS = {
  threads: { words: "All threads", threads: true, filters: { roots: true }, sort: "activity" },
  open: { words: "Open work", threads: true, filters: { kind: WORK, status: ["open"] }, sort: "new" },
  progress: { words: "In progress", threads: true, filters: { kind: WORK, status: ["claimed"] }, sort: "new" },
  disputed: { words: "Disputed", threads: true, filters: { status: ["disputed"] }, sort: "new" },
  done: { words: "Done", threads: true, filters: { kind: WORK, status: ["verified", "resolved"] }, sort: "activity" },
  offers: { words: "Offers", threads: true, filters: { kind: ["offer"] }, sort: "new" },
  everything: { words: "Everything", threads: false, filters: {}, sort: "new" },
} as const satisfies Readonly<Record<string, BoardViewRule>>;

export type BoardViewName = keyof typeof BOARD_VIEWS;
export const BOARD_VIEW_NAMES = Object.keys(BOARD_VIEWS) as [BoardViewName, ...BoardViewName[]];
