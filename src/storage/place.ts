// Where a board is kept: in a directory with SQLite, or in a PostgreSQL that several nodes share. All that differs between the two for
// those who open, copy or look at a board stands behind this.
import type { AttachmentBlock } from "../adapters/sql/moderation-rows.ts";
import type { SourceModule } from "../adapters/search/search-thread.ts";
import { workerUrl } from "../adapters/system/worker-url.ts";
import type { Checkpoint } from "../core/log/checkpoint.ts";
import type { Action, Notice, Switches } from "../core/message/moderation.ts";
import type { HeadRecord } from "../ports/head-record.ts";
import type { TlogName } from "../ports/tlog-name.ts";
import type { ModerationReads } from "../ports/moderation.ts";
import type { Peers } from "../ports/peers.ts";
import type { ReplicaStanding, ReplicaWatch } from "../ports/replica.ts";
import type { Store } from "../ports/store.ts";
import type { Wakeup } from "../ports/wakeup.ts";

export interface Place {
  /** Where the board is, in words. */
  readonly words: string;
  /** Whether there is a board, as far as can be told without opening it. */
  isThere(): boolean;
  /** For the board itself. `sealed`: nothing can be written in the data directory. */
  open(as: { readonly sealed: boolean; readonly onFatal: (error: Error) => void; readonly watchReplica: ReplicaWatch }): Promise<Opened>;
  /** For an operator's command, beside the board that may be running there; throws where there is no board. */
  openBeside(): Promise<Beside>;
  /** Whose board it is. */
  identity(): Promise<Identity>;
  /** The board of one moment as a SQLite database, however busy it is; `pk` is the public half of its key. */
  copyTo(path: string, pk: string | undefined): Promise<void>;
  /** What its operator has done. Only reads, and also what an older release left; `messages` are asked about. */
  acts(messages: readonly string[]): Promise<Acts>;
}

export interface Opened {
  readonly store: Store;
  /** What the search index reads. */
  readonly source: SourceModule;
  /** What other nodes write and say; undefined where there are none. */
  readonly others: (Wakeup & Peers) | undefined;
  /** The public half of the board's key; undefined where the database does not tell. */
  knownPk(): Promise<string | undefined>;
  recordPk(pk: string, before: string | undefined): Promise<void>;
  /** Under which name the heads of the tree are signed; undefined where there is none yet. */
  tlogName(): Promise<TlogName | undefined>;
  /** The newest from now on, unless another node has just recorded one. */
  recordTlogName(name: TlogName): Promise<void>;
  /** The last head that this key signed. */
  headOf(pk: string): HeadRecord;
  /** Once the database has the board's key; the replica may not have heard of a new one yet. */
  beginReplica(formerPk: string | undefined): Promise<(() => ReplicaStanding) | undefined>;
  close(): Promise<void>;
}

export interface Beside {
  readonly store: Store;
  /** The last head that the board signed. */
  readonly record: HeadRecord;
  /** The newest name of the tree from now on. */
  recordTlogName(name: TlogName): Promise<void>;
  /** The database forgets which head was signed last, where it is what keeps that. */
  forgetSigned(): Promise<void>;
  /** What the one search index reads; undefined where each node has its own. */
  readonly source: SourceModule | undefined;
  /** The same error, or what it means for the files of this board. */
  explain(error: unknown): unknown;
}

export interface Identity {
  /** The public half of the board's key; undefined where nobody can tell. */
  readonly pk: string | undefined;
  /** The last head that it signed, as far as this machine and the database know. */
  readonly signed: Checkpoint | undefined;
  /** Under which name the heads of its tree are signed. */
  readonly tlog: TlogName | undefined;
}

/** What an operator has done on a board, up to entry `seq`. */
export interface Acts {
  readonly seq: number;
  readonly actions: readonly Action[];
  readonly notices: readonly Notice[];
  readonly switches: Switches;
  readonly attachments: readonly AttachmentBlock[];
  /** Of the messages asked about, those that the board knows, live or gone, and whether they have attachments. */
  readonly attached: ReadonlyMap<string, boolean>;
}

/** What `acts` asks of a message: `?` is its id. */
export const ATTACHED = "SELECT has_attachment AS attached FROM messages WHERE id = ? UNION ALL SELECT 0 FROM gone WHERE id = ?";

const PAGE = 10_000;

type Read = "actions" | "notices" | "switches";

export async function everyAct(reads: Pick<ModerationReads, Read>): Promise<Pick<Acts, Read>> {
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
