// The place of a board: a directory with SQLite, or a PostgreSQL that several nodes share. Everything that differs between the two for
// commands that open, copy or inspect a board is behind this interface.
import { first, type SqlRows } from "../adapters/sql/dialect.ts";
import { type AttachmentBlock, BLOCKED_ATTACHMENTS } from "../adapters/sql/moderation-rows.ts";
import { SqlReads } from "../adapters/sql/reads.ts";
import type { SourceModule } from "../adapters/search/search-thread.ts";
import { workerUrl } from "../adapters/system/worker-url.ts";
import type { KeyChange } from "../core/protocol/board-key-change.ts";
import type { Checkpoint } from "../core/log/chain-checkpoint.ts";
import type { Action, Notice, Switches } from "../core/message/moderation-state.ts";
import type { HeadRecord } from "../ports/head-record.ts";
import type { IdentityReads, TlogName } from "../ports/tlog-identity.ts";
import type { ModerationReads } from "../ports/moderation.ts";
import type { Peers } from "../ports/peers.ts";
import type { ReplicaStatus, ReplicaUse } from "../ports/replica-status.ts";
import type { Store } from "../ports/store.ts";
import type { Wakeup } from "../ports/wakeup.ts";

export interface Place {
  /** Describes the place of the board. */
  readonly words: string;
  readonly engine: "sqlite" | "postgresql";
  /** Whether several nodes may run on it, each with its own directory and its own copies of the keys. */
  readonly isShared: boolean;
  /** Whether there is a board, as far as is known without opening it. */
  isThere(): boolean;
  /** Opens it for the board itself. `sealed`: nothing can be written in the data directory. */
  open(as: { readonly sealed: boolean; readonly onFatal: (error: Error) => void; readonly replica: ReplicaUse }): Promise<Opened>;
  /** Keeps boards from starting in the data directory until it is closed; throws if one runs here, or anywhere on the database. */
  lock(): Promise<Disposable>;
  /** Opens it for an operator's command, while the board may be running; throws if there is no board. */
  openBeside(): Promise<Beside>;
  /** The board's key, its last signed head and its log name. */
  identity(): Promise<BoardIdentity>;
  /** A consistent copy of the board as a SQLite database, however busy the board is; `pk` is the public half of its key. */
  copyTo(path: string, pk: string | undefined): Promise<void>;
  /** The operator's acts. Read-only, and works on a database of an older release; `messages` are the messages to look up. */
  acts(messages: readonly string[]): Promise<Acts>;
}

export interface Opened {
  readonly store: Store & IdentityReads;
  /** What the search index reads. */
  readonly source: SourceModule;
  /** Hints and messages from other nodes; undefined if there are none. */
  readonly peers: (Wakeup & Peers) | undefined;
  recordPk(pk: string, before: string | undefined): Promise<void>;
  /** Makes it the newest, unless another node has just recorded one. */
  recordTlogName(name: TlogName): Promise<void>;
  /** The last head that the board with this first key signed. */
  headOf(pk: string): HeadRecord;
  /** Called once the database has the board's key; the replica may not have a new key yet. */
  beginReplica(formerPk: string | undefined): Promise<(() => ReplicaStatus) | undefined>;
  close(): Promise<void>;
}

export interface Beside {
  readonly store: Store;
  /** The last head that the board signed. */
  readonly record: HeadRecord;
  /** Makes it the newest name of the tree. */
  recordTlogName(name: TlogName): Promise<void>;
  /** Deletes the record of the last signed head, if it is in the database. */
  forgetSigned(): Promise<void>;
  /** The source of the one search index; undefined if each node has its own. */
  readonly source: SourceModule | undefined;
  /** The same error, or an explanation of it for the files of this board. */
  explain(error: unknown): unknown;
}

export interface BoardIdentity {
  /** The public half of the board's first key; undefined if it is not known. */
  readonly pk: string | undefined;
  /** The last head that it signed, as far as this machine and the database know. */
  readonly signed: Checkpoint | undefined;
  /** The name under which the heads of its tree are signed, with its first key. */
  readonly tlog: TlogName | undefined;
  /** The announcements of its keys. */
  readonly changes: readonly KeyChange[];
}

/** An operator's acts on a board, up to entry `seq`. */
export interface Acts {
  readonly seq: number;
  readonly actions: readonly Action[];
  readonly notices: readonly Notice[];
  readonly switches: Switches;
  readonly attachments: readonly AttachmentBlock[];
  /** Those of the given messages that the board knows, live or ended, and whether they have attachments. */
  readonly attached: ReadonlyMap<string, boolean>;
}

const ATTACHED = "SELECT has_attachment AS attached FROM messages WHERE id = $1 UNION ALL SELECT 0 FROM gone WHERE id = $1";

const PAGE = 10_000;

type Read = "actions" | "notices" | "switches";

/** The operator's acts in a database, of which `seq` was the newest entry before. */
export async function actsIn(rows: SqlRows, seq: number, messages: readonly string[]): Promise<Acts> {
  const attached = new Map<string, boolean>();
  for (const id of messages) {
    const row = await first<{ attached: number | boolean }>(rows, ATTACHED, [id]);
    if (row !== undefined) attached.set(id, Boolean(row.attached));
  }
  const attachments = await rows.all<AttachmentBlock>(BLOCKED_ATTACHMENTS, []);
  return { ...(await everyAct(new SqlReads(rows))), seq, attachments, attached };
}

async function everyAct(reads: Pick<ModerationReads, Read>): Promise<Pick<Acts, Read>> {
  const [actions, notices]: [Action[], Notice[]] = [[], []];
  for (let page: readonly Action[]; ; actions.push(...page)) {
    page = await reads.actions({ since: 0, before: actions.at(-1)?.seq, limit: PAGE });
    if (page.length === 0) break;
  }
  for (let page: readonly Notice[]; ; notices.push(...page)) {
    page = await reads.notices({ state: undefined, after: notices.at(-1), limit: PAGE });
    if (page.length === 0) break;
  }
  return { actions, notices, switches: await reads.switches() };
}

export const sourceModule = (name: string, options: unknown): SourceModule => ({
  url: workerUrl(`../adapters/${name}/search-source`, import.meta.url).href,
  options,
});
