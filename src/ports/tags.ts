// Queries about the tags, needs and offers in use.
import type { LabelField } from "../core/message/message-state.ts";

export interface TagFacts {
  /** Folded, as it is compared. */
  readonly tag: string;
  /** The most used spelling. */
  readonly shown: string;
  /** Live messages with it, without superseded ones. */
  readonly count: number;
  readonly lastUsed: number;
}

/** Most used first, then alphabetical. */
export interface TagQuery {
  readonly field: LabelField;
  readonly prefix: string;
  readonly after: { readonly count: number; readonly tag: string } | undefined;
  readonly limit: number;
}
