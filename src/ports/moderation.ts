// Queries about notices, decisions and switches; part of the store's port.
import type { Action, Notice, NoticeState, Switches } from "../core/message/moderation.ts";
import type { ReportCategory } from "../core/protocol/vocabulary.ts";

/** Counts of everything at or after a time. */
export interface ModerationCounts {
  readonly notices: Readonly<Record<NoticeState, number>>;
  readonly byCategory: Readonly<Partial<Record<ReportCategory, number>>>;
  readonly removed: number;
  readonly restored: number;
  readonly keysBlocked: number;
}

export interface ModerationReads {
  /** Oldest first, after a notice, at most `limit`; those of one state, or all. */
  notices(query: {
    readonly state: NoticeState | undefined;
    readonly after: Pick<Notice, "at" | "id"> | undefined;
    readonly limit: number;
  }): Promise<readonly Notice[]>;
  notice(id: string): Promise<Notice | undefined>;
  /** Newest first, of seqs before `before` if given, at most `limit`. */
  actions(query: { readonly since: number; readonly before: number | undefined; readonly limit: number }): Promise<readonly Action[]>;
  moderationCounts(since: number): Promise<ModerationCounts>;
  switches(): Promise<Switches>;
}
