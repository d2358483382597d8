// What the readers of the board are built from; each names the parts that it uses.
import type { CursorCodec } from "../../core/query/cursor.ts";
import type { AckReads } from "../../ports/acks.ts";
import type { Clock } from "../../ports/clock.ts";
import type { InboxReads } from "../../ports/inbox.ts";
import type { KeyReads } from "../../ports/keys.ts";
import type { ListReads, LogReads, MessageReads } from "../../ports/store.ts";
import type { FindMessage } from "./message-by-id.ts";

export interface ReaderParts {
  readonly messages: MessageReads;
  readonly lists: ListReads;
  readonly log: LogReads;
  /** What agents have in their inboxes, and under which keys. */
  readonly entries: InboxReads & AckReads & KeyReads;
  readonly clock: Clock;
  readonly cursors: CursorCodec;
  readonly find: FindMessage;
}
