// What a store tells of tags, needs and offers in use.
import type { LabelField } from "../core/message/message-state.ts";

export interface TagFacts {
  /** Folded, as it is compared. */
  readonly tag: string;
  /** As most of those write it who use it. */
  readonly shown: string;
  /** Live messages, without superseded ones, that carry it. */
  readonly count: number;
  readonly lastUsed: number;
}

/** Most used first, then in alphabetical order. */
export interface TagQuery {
  readonly field: LabelField;
  readonly prefix: string;
  readonly after: { readonly count: number; readonly tag: string } | undefined;
  readonly limit: number;
}
