// The board as one batch sees it: rows of the database, and the changes of the batch.
import { GENESIS } from "../../../core/log/chain.ts";
import type { Head } from "../../../core/log/chain-checkpoint.ts";
import type { ThreadFacts } from "../../../core/message/acts-and-outcomes.ts";
import type { AckRow } from "../../../core/message/ack-state.ts";
import type { StoredInboxChange } from "../../../core/message/inbox-types.ts";
import type { Action, Notice, Switches } from "../../../core/message/moderation-state.ts";
import type { Tombstone, Label, MessageState } from "../../../core/message/message-state.ts";
import type { Ref } from "../../../core/protocol/payload.ts";
import type { KeyState, LineState, StoredKeyOp } from "../../../core/keys/key-state.ts";
import { type StoredAlias, toAlias } from "../alias-rows.ts";
import { toState } from "../key-rows.ts";
import { toMessageState } from "../rows.ts";
import { Journal, WorkingTable } from "./table.ts";
import { Window, type WindowRows } from "./first-rows-in-order.ts";

export interface AgentRow {
  readonly pk: string;
  readonly firstSeen: number;
  readonly lastSeen: number;
  readonly messages: number;
  /** How far it has read, and when it last said so. */
  readonly seen: number;
  readonly lastAck: number | null;
  /** An AuthorLine as JSON. */
  readonly line: string | null;
}
export interface ThreadRow extends ThreadFacts {
  /** Only if the store knows threads by number. */
  readonly number?: number;
}
export interface StoredVote {
  readonly seq: number;
  readonly rel: "verifies" | "refutes";
}
export interface Answerer {
  readonly agent: string;
  readonly seq: number;
}
/** An author withdrew everything before a seq: everything up to `done` has ended, the rest is about to. */
export interface Withdrawal {
  readonly author: string;
  readonly seq: number;
  readonly done: number;
  readonly at: number;
}

/** The tables, each with its own key. */
interface Tables {
  /** By id. */
  messages: MessageState;
  tombstones: Tombstone;
  agents: AgentRow;
  /** By root. */
  threads: ThreadRow;
  /** Votes of an agent on a target, oldest first, by target and agent. */
  votes: readonly StoredVote[];
  /** Agents with votes on a target when the batch began. */
  votersOf: readonly string[];
  /** The message that gives a signal, by target, agent and signal. */
  signals: number;
  /** Until when an agent may not claim a message again, by message and agent. */
  barred: number;
  answerers: readonly Answerer[];
  /** Inbox items about a message, oldest first. */
  inboxItems: readonly StoredInboxChange[];
  refs: readonly Ref[];
  labels: readonly Label[];
  /** Hashes of a message's attachments. */
  attachmentsOf: readonly string[];
  /** Until when the text of an attachment is stored, by its hash. */
  blobs: number;
  /** The number of live replies to an id when the batch began. */
  replies: number;
  /** Ids of the first messages that reply to an id. */
  earlyReplies: readonly string[];
  aliases: StoredAlias;
  /** Live aliases of an agent when the batch began. */
  aliasesHeldBy: readonly string[];
  /** Messages that an agent held a lease on when the batch began. */
  leasesHeldBy: readonly string[];
  /** By the id of the payload. */
  acks: AckRow;
  /** By agent, and lines by their first key. */
  keys: KeyState;
  lines: LineState;
  /** By the SHA-256 of their payloads. */
  keyOps: StoredKeyOp;
  arrivedOnce: true;
  /** All of them, oldest first, under one key. */
  withdrawals: readonly Withdrawal[];
  notices: Notice;
  /** Ids of open notices about a target, and the number of open notices whose id begins with this, when the batch began. */
  openNoticesOn: readonly string[];
  openNoticeCounts: number;
  actions: Action;
  /** Ids of decisions in force on a target when the batch began. */
  actionsInForceOn: readonly string[];
  /** Decisions that block something, by type and name of the target. */
  blocks: readonly string[];
  switches: Switches;
}
export type TableName = keyof Tables;

export type WindowName = "due" | "endedLeases" | "dueAliases" | "dueLines" | "withdrawn";
export interface OpenWindow {
  readonly name: WindowName;
  /** For the window of an author's withdrawn messages. */
  readonly withdrawal?: Withdrawal;
  readonly window: { readonly wanted: number; forget(): void };
  /** Requested rows; there may be fewer. */
  readonly keep: (rows: readonly unknown[], asked: number) => void;
}

/** Fetches what is missing, synchronously. */
export interface SyncLoader {
  table(name: TableName, key: string): void;
  window(open: OpenWindow): void;
}

/** Keys of several parts; no part contains a space. */
export const keyOf = (...parts: readonly (string | number)[]): string => parts.join(" ");
/** The key of a table with a single row. */
export const ONE = "";

export class WorkingSet {
  readonly journal = new Journal();
  /** The head of the log when the batch began; the database does not have later seqs. */
  start: Head = { seq: 0, hash: GENESIS };
  /** Only of a synchronous store; from others all missing rows are requested together. */
  syncLoader: SyncLoader | undefined;
  /** Whether all requested rows are known; until then, the result is a guess that only shows what else to fetch. */
  isKnown = true;
  #now = 0;
  readonly #bySeq = (key: string): boolean => Number.parseInt(key, 10) > this.start.seq;

  readonly messages = this.#table("messages");
  readonly tombstones = this.#table("tombstones");
  readonly agents = this.#table("agents");
  readonly threads = this.#table("threads");
  readonly votes = this.#table("votes", this.#bySeq);
  readonly votersOf = this.#table("votersOf", this.#bySeq);
  readonly signals = this.#table("signals", this.#bySeq);
  readonly barred = this.#table("barred", this.#bySeq);
  readonly answerers = this.#table("answerers", this.#bySeq);
  readonly inboxItems = this.#table("inboxItems", this.#bySeq);
  readonly refs = this.#table("refs", this.#bySeq);
  readonly labels = this.#table("labels", this.#bySeq);
  readonly attachmentsOf = this.#table("attachmentsOf", this.#bySeq);
  readonly blobs = this.#table("blobs");
  readonly replies = this.#table("replies");
  readonly earlyReplies = this.#table("earlyReplies");
  /** Messages of this batch that reply to an id. */
  readonly repliesSince = new WorkingTable<readonly string[], "replies">(this, "replies", () => true);
  readonly aliases = this.#table("aliases");
  readonly aliasesHeldBy = this.#table("aliasesHeldBy");
  readonly leasesHeldBy = this.#table("leasesHeldBy");
  readonly acks = this.#table("acks");
  readonly keys = this.#table("keys");
  readonly lines = this.#table("lines");
  readonly keyOps = this.#table("keyOps");
  readonly arrivedOnce = this.#table("arrivedOnce");
  readonly withdrawals = this.#table("withdrawals");
  readonly notices = this.#table("notices");
  readonly openNoticesOn = this.#table("openNoticesOn");
  readonly openNoticeCounts = this.#table("openNoticeCounts");
  readonly actions = this.#table("actions");
  readonly actionsInForceOn = this.#table("actionsInForceOn");
  readonly blocks = this.#table("blocks");
  readonly switches = this.#table("switches");

  readonly windows: OpenWindow[] = [];
  readonly #messageRows = {
    current: (id: string) => this.state(id),
    changed: () => this.#changedMessages(),
    keyOf: ({ id }: MessageState) => id,
    table: this.messages,
    from: toMessageState,
  };
  readonly due = this.#window<MessageState>("due", {
    ...this.#messageRows,
    belongs: ({ expiresAt }) => expiresAt <= this.now,
    compare: (a, b) => a.expiresAt - b.expiresAt || a.seq - b.seq,
  });
  readonly endedLeases = this.#window<MessageState>("endedLeases", {
    ...this.#messageRows,
    belongs: ({ leaseUntil }) => leaseUntil !== null && leaseUntil <= this.now,
    compare: (a, b) => (a.leaseUntil ?? 0) - (b.leaseUntil ?? 0) || a.seq - b.seq,
  });
  readonly dueAliases = this.#window<StoredAlias>("dueAliases", {
    current: (alias) => this.aliases.get(alias),
    changed: () => [...this.aliases.changes.values()].filter((row) => row !== undefined),
    keyOf: ({ alias }) => alias,
    table: this.aliases,
    from: toAlias,
    belongs: ({ checkAt }) => checkAt !== null && checkAt <= this.now,
    compare: (a, b) => (a.checkAt ?? 0) - (b.checkAt ?? 0) || (a.alias < b.alias ? -1 : 1),
  });
  readonly dueLines = this.#window<LineState>("dueLines", {
    current: (principal) => this.lines.get(principal),
    changed: () => [...this.lines.changes.values()].filter((row) => row !== undefined),
    keyOf: ({ principal }) => principal,
    table: this.lines,
    from: toState<LineState>,
    belongs: ({ pending }) => pending !== null && pending.due <= this.now,
    compare: (a, b) => (a.pending?.due ?? 0) - (b.pending?.due ?? 0) || (a.principal < b.principal ? -1 : 1),
  });
  readonly #withdrawn = new Map<string, Window<MessageState>>();

  get now(): number {
    return this.#now;
  }
  /** Sets the time. The windows forget their rows, because what is due depends on the time. */
  set now(now: number) {
    if (now === this.#now) return;
    this.#now = now;
    for (const { window } of this.windows) window.forget();
  }

  /** Call this if it is known in advance that nothing is due and no withdrawn message is left. */
  nothingIsDue(): void {
    for (const open of this.windows) open.keep([], 1);
    this.withdrawals.keep([ONE], []);
  }

  /** The current state of a message: its author may have withdrawn it a moment ago. */
  state(id: string): MessageState | undefined {
    const row = this.messages.get(id);
    return row === undefined ? undefined : this.#asWithdrawn(row);
  }

  missed(name: TableName, key: string): void {
    if (this.syncLoader !== undefined) return this.syncLoader.table(name, key);
    this[name].miss(key);
    this.isKnown = false;
  }

  /** The messages of an author that were withdrawn and are still to be ended, oldest first. */
  withdrawnBy(withdrawal: Withdrawal): Window<MessageState> {
    const { author, seq } = withdrawal;
    const known = this.#withdrawn.get(keyOf(author, seq));
    if (known !== undefined) return known;
    const rows = {
      ...this.#messageRows,
      // There may be hundreds of such windows.
      changed: () => this.#changedMessages(author),
      belongs: (row: MessageState) => row.author === author && row.expiresAt <= this.now,
      compare: (a: MessageState, b: MessageState) => a.seq - b.seq,
    };
    const window = this.#window<MessageState>("withdrawn", rows, withdrawal);
    this.#withdrawn.set(keyOf(author, seq), window);
    return window;
  }

  #asWithdrawn(row: MessageState): MessageState {
    const withdrawals = this.withdrawals.get(ONE);
    if (withdrawals === undefined || withdrawals.length === 0) return row;
    const withdrawn = withdrawals.find(({ author, seq, at }) => author === row.author && row.seq < seq && row.expiresAt > at);
    return withdrawn === undefined ? row : { ...row, expiresAt: withdrawn.at, withdrawn: true };
  }

  /** Those of one author, if given. */
  *#changedMessages(by?: string): Generator<MessageState> {
    for (const row of this.messages.changes.values())
      if (row !== undefined && (by === undefined || row.author === by)) yield this.#asWithdrawn(row);
  }

  #table<Name extends TableName>(name: Name, isNew?: (key: string) => boolean): WorkingTable<Tables[Name], Name> {
    return new WorkingTable<Tables[Name], Name>(this, name, isNew);
  }
  #window<Row>(
    name: WindowName,
    { table, from, ...rows }: Omit<WindowRows<Row>, "missed"> & { readonly table: WorkingTable<Row>; readonly from: (row: unknown) => Row },
    withdrawal?: Withdrawal,
  ): Window<Row> {
    const missed = (): void => (this.syncLoader === undefined ? void (this.isKnown = false) : this.syncLoader.window(open));
    const window = new Window<Row>({ ...rows, missed });
    const keep = (stored: readonly unknown[], asked: number): void => {
      const found = stored.map(from);
      table.keep(
        [],
        found.map((row) => [rows.keyOf(row), row]),
      );
      window.keep(found, asked);
    };
    const open: OpenWindow = { name, window, keep, ...(withdrawal === undefined ? {} : { withdrawal }) };
    this.windows.push(open);
    return window;
  }
}
