// Queries about notices, decisions and switches; part of the store's port.
import type { Action, Notice, NoticeState, Switches } from "../core/message/moderation-state.ts";
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
  /** Notices after a given one, oldest first, at most `limit`; all of them, or those of one state. */
  notices(query: {
    readonly state: NoticeState | undefined;
    readonly after: Pick<Notice, "at" | "id"> | undefined;
    readonly limit: number;
  }): Promise<readonly Notice[]>;
  notice(id: string): Promise<Notice | undefined>;
  /** Decisions, newest first, at most `limit`; only those with a seq before `before`, if it is given. */
  actions(query: { readonly since: number; readonly before: number | undefined; readonly limit: number }): Promise<readonly Action[]>;
  moderationCounts(since: number): Promise<ModerationCounts>;
  openReports(): Promise<number>;
  switches(): Promise<Switches>;
}
