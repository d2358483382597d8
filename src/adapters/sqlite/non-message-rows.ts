// What a SQLite board stores beside its messages, row by row, for the check.
import type { KeyState, LineState, StoredKeyOp } from "../../core/keys/key-state.ts";
import type { StoredInboxChange } from "../../core/message/inbox-types.ts";
import type { Blockable } from "../../core/message/moderation-state.ts";
import { rowsFrom } from "../sql/columns.ts";
import { toState } from "../sql/key-rows.ts";
import { openDatabase } from "./open.ts";

export interface HeldBlob {
  readonly sha256: string;
  readonly text: string;
  /** The number of live messages with it as an attachment. */
  readonly uses: number;
}
export interface HeldBlock {
  readonly what: Blockable;
  readonly name: string;
  /** Id of the decision that blocks it. */
  readonly action: string;
}

export interface Holdings extends Disposable {
  blobs(): Iterable<HeldBlob>;
  blocks(): Iterable<HeldBlock>;
  keys(): Iterable<KeyState>;
  lines(): Iterable<LineState>;
  keyOps(): Iterable<StoredKeyOp>;
  /** Inbox items about agents' own messages, by message. */
  inboxChanges(): Iterable<StoredInboxChange>;
}

export function openHoldings(path: string): Holdings {
  const db = openDatabase(path, "read");
  const rows = <Row>(sql: string) => db.prepare(sql).iterate() as unknown as Iterable<Row>;
  const states = <State>(sql: string) =>
    db
      .prepare(sql)
      .all()
      .map(toState<State>);
  return {
    keys: () => states("SELECT state FROM keys ORDER BY agent"),
    lines: () => states("SELECT state FROM key_lines ORDER BY principal"),
    keyOps: () => rows(`${rowsFrom("key_ops")} ORDER BY seq`),
    blobs: () =>
      rows("SELECT sha256, text, (SELECT count(*) FROM attachments a WHERE a.sha256 = b.sha256) AS uses FROM blobs b ORDER BY sha256"),
    blocks: () => rows(`${rowsFrom("blocks")} ORDER BY what, name, action`),
    inboxChanges: () => rows(`${rowsFrom("inbox_changes")} ORDER BY target, seq, agent`),
    [Symbol.dispose]: () => db.close(),
  };
}
