// The ledger of one batch, for every store: everything happens in memory, on fetched rows.
import { detailDigest, entryHash } from "../../../core/log/chain.ts";
import type { Head } from "../../../core/log/chain-checkpoint.ts";
import type { EntryType } from "../../../core/log/entry-type.ts";
import type { Chained } from "../../../core/log/entry-text.ts";
import { growEdge, type StoredTile, type TreeEdge } from "../../../core/log/tree-edge.ts";
import type { AckRow } from "../../../core/message/ack-state.ts";
import { ALIAS_LIFE_MS, ALIAS_QUARANTINE_MS, type AliasRow } from "../../../core/message/alias-rules.ts";
import {
  ADOPTED_REPLIES,
  type AgentField,
  type Arrival,
  type Tombstone,
  hasMoved,
  type Label,
  labelsOf,
  type MessageState,
  type TallyField,
} from "../../../core/message/message-state.ts";
import type { Ref } from "../../../core/protocol/payload.ts";
import type { AuthorFacts, ThreadFacts } from "../../../core/message/acts-and-outcomes.ts";
import type { ActLedger } from "../../../core/message/perform.ts";
import { withItem } from "../../../core/message/inbox-items.ts";
import type { InboxChange } from "../../../core/message/inbox-types.ts";
import { WITHDRAWN_PER_BATCH } from "../../../core/message/sweep.ts";
import { TallyMoves } from "../../../core/message/counts.ts";
import { BatchKeys, newAgent } from "./keys.ts";
import { BatchModeration } from "./moderation.ts";
import type { StoredAlias } from "../alias-rows.ts";
import { ONE, type Withdrawal } from "./working-set.ts";

export interface LoggedEntry extends Head {
  readonly at: number;
  readonly type: EntryType;
  readonly id: string;
  readonly detail: string | null;
  readonly digest: string;
  readonly assisted: number | null;
}
/** Messages of an author that end, from one seq to another. */
interface Ended {
  readonly author: string;
  readonly after: number;
  readonly below: number;
  readonly at: number;
  readonly seqs: readonly number[];
}
export interface Inserted {
  readonly arrival: Arrival;
  readonly labels: readonly Label[];
  readonly refs: readonly Ref[];
}

export class BatchLedger extends BatchKeys implements ActLedger {
  readonly tallies = new TallyMoves();
  readonly entries: LoggedEntry[] = [];
  readonly inserted = new Map<string, Inserted>();
  /** The inserted messages by seq. Those of undone acts are not read, and the next act reuses their seq. */
  readonly #bySeq = new Map<number, Inserted>();
  readonly erased: MessageState[] = [];
  /** Hashes of attachments to delete, even if other messages name them. */
  readonly droppedBlobs: string[] = [];
  /** Messages that become replies in an agent's inbox, by agent and seq. */
  readonly adopted: { readonly agent: string; readonly seq: number }[] = [];
  #cause: string | undefined;
  readonly #adopting: { readonly id: string; readonly author: string; readonly seq: number; readonly at: number }[] = [];

  /** Withdrawn messages that end now, and those left for later batches. */
  readonly ended: Ended[] = [];
  withdrawalsLeft: readonly Withdrawal[] | undefined;
  /** Tiles of the tree that the entries complete. */
  tiles: readonly StoredTile[] = [];

  readonly #lists: readonly { length: number }[] = [this.entries, this.erased, this.droppedBlobs, this.adopted, this.#adopting, this.ended];
  readonly moderation = new BatchModeration(this.set);

  get head(): Head {
    return this.entries.at(-1) ?? this.set.start;
  }

  /** The last step of a batch, when all of its entries are known: extends the tree. Returns its new edge. */
  growTree(edge: TreeEdge): TreeEdge {
    const grown = growEdge(edge, this.#chained());
    this.tiles = grown.tiles;
    return grown.edge;
  }
  *#chained(): Generator<Chained> {
    let prev = this.set.start.hash;
    for (const entry of this.entries) {
      yield { ...entry, prev };
      prev = entry.hash;
    }
  }

  /** The start of an act, to undo it. */
  mark(): readonly number[] {
    this.#cause = undefined;
    return [this.set.journal.length, this.tallies.length, ...this.#lists.map(({ length }) => length)];
  }
  backTo([journal = 0, tallies = 0, ...lengths]: readonly number[]): void {
    this.set.journal.backTo(journal);
    this.tallies.cut(tallies);
    for (const [i, list] of this.#lists.entries()) list.length = lengths[i] ?? 0;
  }

  get cause(): string | undefined {
    return this.#cause;
  }
  inboxItems(target: number): readonly InboxChange[] {
    return this.set.inboxItems.get(String(target)) ?? [];
  }
  addInboxChange(change: InboxChange, at: number = this.now): void {
    const { inboxItems } = this.set;
    const target = String(change.target);
    inboxItems.set(target, withItem(inboxItems.get(target) ?? [], { ...change, at }));
  }
  find(id: string): MessageState | undefined {
    const row = this.set.state(id);
    // The rules change the object they get, and report it afterwards.
    return row === undefined ? undefined : { ...row, signals: { ...row.signals } };
  }
  tombstone(id: string): Tombstone | undefined {
    return this.set.tombstones.get(id);
  }
  hasArrived(once: string): boolean {
    return this.set.arrivedOnce.get(once) ?? false;
  }
  noteArrival(once: string): void {
    this.set.arrivedOnce.set(once, true);
  }
  due(limit: number): readonly MessageState[] {
    const { set } = this;
    const withdrawn = this.#withdrawals().flatMap((one) => set.withdrawnBy(one).first(WITHDRAWN_PER_BATCH + 1));
    // Thousands of endings are written later, so that others need not wait for this batch.
    if (withdrawn.length > WITHDRAWN_PER_BATCH) return [];
    const due = set.due.first(limit);
    // With something missing, this run only finds out what: the messages after these would have theirs fetched in vain.
    if (!set.isKnown) return [];
    if (withdrawn.length === 0) return due;
    const byId = new Map([...due, ...withdrawn].map((row) => [row.id, row]));
    return [...byId.values()].sort((a, b) => a.expiresAt - b.expiresAt || a.seq - b.seq).slice(0, limit);
  }
  endedLeases(limit: number): readonly MessageState[] {
    return this.set.endedLeases.first(limit);
  }
  refsOf(seq: number): readonly Ref[] {
    return this.#bySeq.get(seq)?.refs ?? this.set.refs.get(String(seq)) ?? [];
  }
  labelsOf(seq: number): readonly Label[] {
    return this.#bySeq.get(seq)?.labels ?? this.set.labels.get(String(seq)) ?? [];
  }
  repliesTo(id: string): number {
    const before = this.set.replies.get(id) ?? 0;
    const since = this.#found(this.set.repliesSince.get(id) ?? []).filter(({ supersededBy }) => supersededBy === null).length;
    return before === 0 ? since : before - this.#endedReplies(id) + since;
  }
  adoptReplies(id: string, author: string): void {
    this.#adopting.push({ id, author, seq: this.newest, at: this.now });
  }
  /** The seq of the entry that was written last. */
  protected get newest(): number {
    return this.head.seq;
  }
  /** A last step of a batch, which dry runs skip: puts up to a thousand earlier replies into the inbox of a new message's author. */
  finishAdopting(): void {
    for (const { id, author, seq, at } of this.#adopting) {
      const ids = [...(this.set.earlyReplies.get(id) ?? []), ...(this.set.repliesSince.get(id) ?? [])];
      for (const reply of this.#found(ids).slice(0, ADOPTED_REPLIES)) {
        if (reply.seq > seq || reply.principal === this.principalOf(author)) continue;
        this.adopted.push({ agent: author, seq: reply.seq });
        // The message was not in the inbox so far. It gets its place there now, after the position of readers that have read on.
        if (reply.to !== author && !reply.repliedTo.includes(author)) {
          const change = { seq, target: reply.seq, reason: "reply", was: null, became: "reply" } as const;
          this.addInboxChange({ agent: this.principalOf(author), ...change }, at);
        }
        if (!reply.repliedTo.includes(author)) this.set.messages.set(reply.id, { ...reply, repliedTo: [...reply.repliedTo, author] });
      }
    }
  }

  heldBy(agent: string): readonly MessageState[] {
    const ids = new Set([...(this.set.leasesHeldBy.get(agent) ?? []), ...this.set.messages.changes.keys()]);
    return [...ids].flatMap((id) => (this.set.state(id)?.claimedBy === agent ? (this.find(id) ?? []) : []));
  }
  leasesOf(agent: string, limit: number): readonly MessageState[] {
    const isHeld = ({ status, leaseUntil, expiresAt, supersededBy }: MessageState): boolean =>
      status === "claimed" && (leaseUntil ?? 0) > this.now && expiresAt > this.now && supersededBy === null;
    return this.heldBy(agent)
      .filter(isHeld)
      .sort((a, b) => (a.leaseUntil ?? 0) - (b.leaseUntil ?? 0) || a.seq - b.seq)
      .slice(0, limit);
  }
  insert(state: MessageState, arrival: Arrival, refs: readonly Ref[]): void {
    const { set } = this;
    const { id, author, receivedAt } = state;
    const labels = labelsOf(arrival.payload);
    const one = { arrival, labels, refs };
    this.inserted.set(id, one);
    this.#bySeq.set(state.seq, one);
    this.#cause = author;
    set.messages.set(id, state);
    for (const { rel, id: target } of refs)
      if (rel === "reply") set.repliesSince.set(target, [...(set.repliesSince.get(target) ?? []), id]);
    const known = set.agents.get(author) ?? newAgent(arrival.payload.pk, receivedAt);
    set.agents.set(author, { ...known, lastSeen: receivedAt, messages: known.messages + 1 });
    if (known.line !== null) this.seeParent(known.line);
  }
  update(state: MessageState): void {
    const before = this.set.messages.get(state.id);
    if (before !== undefined) state.changed = hasMoved(before, state) ? this.head.seq : Math.max(before.changed, state.changed);
    this.set.messages.set(state.id, { ...state, signals: { ...state.signals } });
  }
  withdrawBefore(authors: readonly string[], seq: number): void {
    const at = this.now;
    const before = new Map(this.#withdrawals().map((one) => [one.author, one]));
    const now = new Map(authors.map((author) => [author, { author, seq, done: before.get(author)?.done ?? 0, at }]));
    const others = [...before.values()].filter(({ author }) => !now.has(author));
    this.set.withdrawals.set(ONE, [...others, ...now.values()]);
  }
  isWithdrawing(agent: string): boolean {
    return this.#withdrawals().some(({ author }) => author === agent);
  }
  /**
   * The last step of a batch: ends a limited number of withdrawn messages, so that posts of others get in between. The agent that waits for
   * the rest sends the next batch; after a crash the sweep does, or the next start. Returns whether there is more.
   */
  goOnWithdrawing(): boolean {
    const left: Withdrawal[] = [];
    let budget = Math.max(0, WITHDRAWN_PER_BATCH - this.erased.filter(({ withdrawn }) => withdrawn).length);
    for (const one of this.#withdrawals()) {
      if (budget === 0) {
        left.push(one);
        continue;
      }
      const { author, seq, done, at } = one;
      const rows = this.set.withdrawnBy(one).first(budget + 1);
      const beyond = rows[budget]?.seq;
      this.ended.push({ author, after: done, below: beyond ?? seq, at, seqs: rows.slice(0, budget).map((row) => row.seq) });
      if (beyond !== undefined) left.push({ ...one, done: beyond - 1 });
      budget = beyond === undefined ? budget - rows.length : 0;
    }
    this.withdrawalsLeft = left;
    return left.length > 0;
  }
  erase(state: MessageState, tombstone: Tombstone): void {
    this.erased.push(state);
    this.set.messages.set(state.id, undefined);
    this.putTombstone(tombstone);
  }
  putTombstone(tombstone: Tombstone): void {
    this.set.tombstones.set(tombstone.id, tombstone);
  }
  dropTombstone(id: string): void {
    this.set.tombstones.set(id, undefined);
  }
  attachmentsOf(seq: number): readonly string[] {
    const { attachments } = this.#bySeq.get(seq)?.arrival.payload ?? {};
    return attachments === undefined
      ? (this.set.attachmentsOf.get(String(seq)) ?? [])
      : [...new Set(attachments.map(({ sha256 }) => sha256))].sort();
  }
  hasBlob(sha256: string): boolean {
    if ((this.set.blobs.get(sha256) ?? 0) > this.now && !this.droppedBlobs.includes(sha256)) return true;
    return [...this.inserted].some(([id, { arrival }]) => Object.hasOwn(arrival.blobs, sha256) && this.set.state(id) !== undefined);
  }
  dropBlob(sha256: string): void {
    this.droppedBlobs.push(sha256);
  }
  joinThread(root: string, by: 1 | -1): number {
    const { threads, now } = this.set;
    const thread = threads.get(root);
    const messages = (thread?.messages ?? (by === 1 ? 0 : 1)) + by;
    if (messages <= 0) threads.set(root, undefined);
    else threads.set(root, { messages, lastActivity: by === 1 || thread === undefined ? now : thread.lastActivity });
    return Math.max(0, messages);
  }

  tally(field: TallyField, label: string, by: 1 | -1): void {
    this.tallies.move(undefined, field, label, by);
  }
  tallyAgent(agent: string, field: AgentField, label: string, by: number): void {
    this.tallies.move(agent, field, label, by);
  }

  alias(name: string): AliasRow | undefined {
    return this.set.aliases.get(name);
  }
  putAlias(row: AliasRow): void {
    const checkAt = row.endedAt === null ? this.now + ALIAS_LIFE_MS : row.endedAt + ALIAS_QUARANTINE_MS;
    this.set.aliases.set(row.alias, { ...row, checkAt });
  }
  forgetAlias(name: string): void {
    this.set.aliases.set(name, undefined);
  }
  dueAliases(limit: number): readonly AliasRow[] {
    return this.set.dueAliases.first(limit);
  }
  checkAlias(name: string, at: number): void {
    const row = this.set.aliases.get(name);
    if (row !== undefined) this.set.aliases.set(name, { ...row, checkAt: at });
  }
  liveAliases(agent: string): readonly string[] {
    if ((this.lastSeen(agent) ?? 0) <= this.now - ALIAS_LIFE_MS) return [];
    const { aliases, aliasesHeldBy } = this.set;
    const names = new Set([...(aliasesHeldBy.get(agent) ?? []), ...aliases.changes.keys()]);
    const isHeld = (row: StoredAlias | undefined): boolean => row !== undefined && row.agent === agent && row.endedAt === null;
    return [...names].filter((name) => isHeld(aliases.get(name))).sort();
  }
  lastSeen(agent: string): number | undefined {
    return this.set.agents.get(agent)?.lastSeen;
  }
  keyOf(agent: string): string | undefined {
    return this.set.agents.get(agent)?.pk;
  }
  ack(id: string): AckRow | undefined {
    return this.set.acks.get(id);
  }
  putAck(row: AckRow): void {
    this.set.acks.set(row.id, row);
  }
  seenBy(agent: string): number {
    return this.set.agents.get(agent)?.seen ?? 0;
  }
  noteSeen(agent: string, seen: number): void {
    const known = this.set.agents.get(agent);
    if (known !== undefined) this.set.agents.set(agent, { ...known, seen, lastAck: this.now });
  }

  authorFacts(agent: string): AuthorFacts {
    const { firstSeen, messages, line } = this.set.agents.get(agent) ?? { firstSeen: this.now, messages: 0, line: null };
    return { firstSeen, messages, line };
  }
  threadFacts(root: string): ThreadFacts {
    const { messages, lastActivity } = this.set.threads.get(root) ?? { messages: 0, lastActivity: 0 };
    return { messages, lastActivity };
  }

  log(type: EntryType, id: string, detail: string | null, created?: { digest: string; assisted: boolean }): number {
    const { seq: last, hash: prev } = this.head;
    const seq = last + 1;
    const digest = created?.digest ?? detailDigest(detail);
    const entry = { seq, at: this.now, type, id, detail, digest, assisted: created === undefined ? null : Number(created.assisted) };
    // While rows are still missing, the batch will run again. So the hash, which is the expensive part, is left out.
    this.entries.push({ ...entry, hash: this.set.isKnown ? entryHash({ ...entry, prev }) : prev });
    return seq;
  }

  #withdrawals(): readonly Withdrawal[] {
    return this.set.withdrawals.get(ONE) ?? [];
  }
  #found(ids: readonly string[]): readonly MessageState[] {
    return ids.flatMap((id) => this.set.state(id) ?? []);
  }
  /** The number of replies that counted when the batch began and no longer do. */
  #endedReplies(id: string): number {
    const { messages, refs } = this.set;
    return [...messages.changes].filter(([reply, now]) => {
      const before = messages.stored(reply);
      const ended = before?.supersededBy === null && (now === undefined || now.supersededBy !== null);
      return ended && (refs.get(String(before.seq)) ?? []).some(({ rel, id: target }) => rel === "reply" && target === id);
    }).length;
  }
}
