// The rules' window on the board, as prepared statements inside the writer's transaction.
import type { DatabaseSync } from "node:sqlite";
import { detailDigest, entryHash, GENESIS } from "../../core/log/chain.ts";
import type { Head } from "../../core/log/checkpoint.ts";
import {
  type AgentField,
  type Arrival,
  type EntryType,
  type Gone,
  type Label,
  labelsOf,
  type Standing,
  type TallyField,
} from "../../core/message/standing.ts";
import { ALIAS_LIFE_MS, type AliasRow } from "../../core/message/alias-rules.ts";
import { LIMITS } from "../../core/protocol/limits.ts";
import type { Payload, Ref } from "../../core/protocol/payload.ts";
import { DAY_MS, HOUR_MS } from "../../core/spans.ts";
import type { AuthorFacts, ThreadFacts } from "../../core/message/act.ts";
import type { ActLedger } from "../../core/message/perform.ts";
import type { Touched } from "../../ports/store.ts";
import { AgentBook } from "./agent-book.ts";
import { AliasBook } from "./alias-book.ts";
import { EffectBook } from "./effect-book.ts";
import { ledgerStatements } from "./ledger-statements.ts";
import { ModerationBook } from "./moderation-book.ts";
import { reached, toGone, toStanding } from "../sql/rows.ts";
import { TallyBook } from "./tally-book.ts";
import { ThreadBook } from "./thread-book.ts";
import { WithdrawalBook } from "./withdrawal-book.ts";

interface Mark {
  readonly head: Head;
  readonly tallies: number;
  readonly unlogged: number;
}

export class SqliteLedger extends EffectBook implements ActLedger {
  /** Set by the writer for each transaction; never runs backwards. */
  now = 0;
  head: Head = { seq: 0, hash: GENESIS };
  readonly #sql: ReturnType<typeof ledgerStatements>;
  #touched = { seqs: new Set<number>(), agents: new Set<string>(), roots: new Set<string>(), all: false };
  /** Changes that have no entry of their own in the log, or have it only later. */
  #unlogged = 0;
  /** The id of a post that is judged, where nothing here has it, is its tombstone or refers to it. */
  #absent: string | undefined;
  readonly #tallies: TallyBook;
  readonly #agents: AgentBook;
  readonly #threads: ThreadBook;
  readonly #aliases: AliasBook;
  readonly #withdrawals: WithdrawalBook;
  readonly moderation: ModerationBook;

  constructor(db: DatabaseSync) {
    super(db);
    this.#sql = ledgerStatements(db);
    this.#tallies = new TallyBook(db);
    this.#agents = new AgentBook(db);
    this.#threads = new ThreadBook(db);
    this.#aliases = new AliasBook(db);
    this.#withdrawals = new WithdrawalBook(db);
    this.moderation = new ModerationBook(db);
    this.catchUp();
  }

  /** Goes on from where the log stands; another process, such as an operator's command, may have written to it. */
  catchUp(): void {
    const last = this.#sql.lastEntry.get() as { seq: number; hash: string; at: number } | undefined;
    if ((last?.seq ?? 0) === this.head.seq) return;
    this.head = last === undefined ? { seq: 0, hash: GENESIS } : { seq: last.seq, hash: last.hash };
    this.now = Math.max(this.now, last?.at ?? 0);
    this.#touched.all = true;
    this.#forget();
  }

  /** The next act is about this id. Most posts are new: then one question tells that nothing here knows of them. */
  meet(id: string | undefined): void {
    this.#absent = id === undefined || this.#sql.anyTrace.get(id) !== undefined ? undefined : id;
  }
  find(id: string): Standing | undefined {
    if (id === this.#absent) return undefined;
    const row = this.#sql.find.get(id);
    return row === undefined ? undefined : toStanding(row);
  }
  gone(id: string): Gone | undefined {
    if (id === this.#absent) return undefined;
    const row = this.#sql.gone.get(id);
    return row === undefined ? undefined : toGone(row);
  }
  putGone(g: Gone): void {
    this.#putGone(g, this.#threads.number(g.root));
  }
  #putGone(g: Gone, thread: number | undefined): void {
    this.#touched.seqs.add(g.seq);
    const own = g.id === g.root ? (thread ?? null) : null;
    // oxfmt-ignore
    this.#sql.insertGone.run(
      g.id, g.seq, g.author, g.kind, g.root, g.receivedAt, g.reason, g.at, g.statement, g.trace, Number(g.restored), own,
    );
  }
  dropGone(id: string): void {
    this.#unlogged++;
    this.#threads.keepRootOf(id);
    this.#sql.dropGone.run(id);
  }
  attachmentsOf(seq: number): readonly string[] {
    return this.#sql.attachmentsOf.all(seq).map((row) => row["sha256"] as string);
  }
  dropBlob(sha256: string): void {
    this.#sql.dropBlob.run(sha256);
  }
  hasArrived(once: string): boolean {
    return this.#sql.hasArrived.get(once) !== undefined;
  }
  noteArrival(once: string): void {
    this.#unlogged++;
    this.#sql.noteArrival.run(once, this.now);
  }
  alias(name: string): AliasRow | undefined {
    return this.#aliases.find(name);
  }
  putAlias(row: AliasRow): void {
    this.#unlogged++;
    this.#aliases.put(row, this.now);
  }
  forgetAlias(name: string): void {
    this.#unlogged++;
    this.#aliases.forget(name);
  }
  liveAliases(agent: string): number {
    return (this.lastSeen(agent) ?? 0) > this.now - ALIAS_LIFE_MS ? this.#aliases.held(agent) : 0;
  }
  lastSeen(agent: string): number | undefined {
    return this.#agents.find(agent)?.lastSeen;
  }
  seeAgent(agent: string, pk: string): void {
    this.#unlogged++;
    this.#agents.see(agent, pk, 0, this.now);
  }
  dueAliases(limit: number): readonly AliasRow[] {
    return this.#aliases.due(this.now, limit);
  }
  checkAlias(name: string, at: number): void {
    this.#unlogged++;
    this.#aliases.checkAt(name, at);
  }
  keyOf(agent: string): string | undefined {
    return this.#agents.find(agent)?.pk;
  }
  due(limit: number): readonly Standing[] {
    // What ends by the thousand is erased later: others wait for this transaction.
    if (this.#withdrawals.isFull) return [];
    return this.#sql.due.all(this.now, limit).map(toStanding);
  }
  endedLeases(limit: number): readonly Standing[] {
    return this.#sql.endedLeases.all(this.now, limit).map(toStanding);
  }
  leasesOf(agent: string, limit: number): readonly Standing[] {
    return this.#sql.leasesOf.all(agent, this.now, limit).map(toStanding);
  }
  refsOf(seq: number): readonly Ref[] {
    return this.#sql.refsOf.all(seq) as unknown as readonly Ref[];
  }
  repliesTo(id: string): number {
    return id === this.#absent ? 0 : (this.#sql.repliesTo.get(id)!["count"] as number);
  }
  adoptReplies(id: string, author: string): void {
    this.#sql.adoptReplies.run(author, id, author);
    this.#sql.noteReplies.run(author, author, id, author, author);
    for (const reply of this.#sql.repliesAt.all(id)) this.#touched.seqs.add(reply["seq"] as number);
  }

  insert(s: Standing, { payload, raw, blobs }: Arrival, refs: readonly Ref[]): void {
    const sql = this.#sql;
    this.#touched.agents.add(s.author);
    const thread = this.#threads.enter(s, s.id === this.#absent);
    this.#absent = undefined;
    // oxfmt-ignore
    sql.insertMessage.run(
      s.seq, s.id, s.author, s.kind, s.root, thread, s.receivedAt, s.expiresAt, s.to, s.bits, Number(s.assisted), Number(s.hasData), Number(s.hasAttachment),
      s.lang, s.repliedTo.length === 0 ? null : s.repliedTo.join(" "), s.status, s.replies, s.duplicateOf, s.signal,
    );
    sql.insertContent.run(s.seq, raw.payload, raw.sig, raw.nonce);
    this.#agents.see(s.author, payload.pk, 1, s.receivedAt);
    for (const [position, { rel, id }] of refs.entries()) sql.insertRef.run(s.seq, position, rel, id);
    for (const { field, label, spelling } of labelsOf(payload))
      sql.insertLabel.run(field, label, s.seq, spelling === label ? null : spelling);
    for (const agent of reached(s)) sql.insertInbox.run(agent, s.seq, Number(s.repliedTo.includes(agent)));
    for (const [hash, text] of Object.entries(blobs)) sql.putBlob.run(hash, text, s.receivedAt + LIMITS.attachment_hours * HOUR_MS);
    for (const { sha256 } of payload.attachments ?? []) sql.attach.run(sha256, s.seq);
  }
  update(s: Standing): void {
    this.#touched.seqs.add(s.seq);
    const signals = Object.keys(s.signals).length === 0 ? null : JSON.stringify(s.signals);
    // oxfmt-ignore
    this.#sql.update.run(
      s.status, s.verifies, s.refutes, s.replies, s.answers, s.answersVerified, s.rejected, signals, Number(s.resolvedByAuthor),
      s.claimedBy, s.leaseUntil, s.claimSeq, s.supersededBy, s.supersededAt, s.seq,
    );
  }
  withdrawBefore(author: string, seq: number): void {
    for (const ended of this.#withdrawals.add(author, seq, this.now)) this.#touched.seqs.add(ended);
  }
  isWithdrawing(agent: string): boolean {
    return this.#withdrawals.has(agent);
  }
  /** What transactions before this one left of it. */
  goOnWithdrawing(): void {
    for (const ended of this.#withdrawals.begin()) this.#touched.seqs.add(ended);
  }
  erase(s: Standing, gone: Gone): void {
    const sql = this.#sql;
    this.#touched.seqs.add(s.seq);
    for (const sha256 of this.attachmentsOf(s.seq)) {
      sql.detach.run(sha256, s.seq);
      sql.dropLooseBlob.run(sha256, sha256);
    }
    const thread = this.#threads.number(s.root);
    for (const { field, label } of this.labelsOf(s.seq)) sql.dropLabel.run(field, label, s.seq);
    for (const agent of reached(s)) sql.dropInbox.run(agent, s.seq);
    for (const statement of sql.eraseBySeq) statement.run(s.seq);
    this.#putGone(gone, thread);
  }
  joinThread(root: string, by: 1 | -1): number {
    this.#touched.roots.add(root);
    return by === 1 ? this.#threads.join(root, this.now) : this.#threads.leave(root);
  }

  tally(field: TallyField, label: string, by: 1 | -1): void {
    this.#tallies.move(undefined, field, label, by);
  }
  tallyAgent(agent: string, field: AgentField, label: string, by: number): void {
    this.#tallies.move(agent, field, label, by);
  }
  labelsOf(seq: number): readonly Label[] {
    const payload = this.#sql.payload.get(seq)?.["payload"] as string | undefined;
    return payload === undefined ? [] : labelsOf(JSON.parse(payload) as Payload);
  }

  log(type: EntryType, id: string, detail: string | null, created?: { digest: string; assisted: boolean }): number {
    const seq = this.head.seq + 1;
    const digest = created?.digest ?? detailDigest(detail);
    const hash = entryHash({ prev: this.head.hash, seq, at: this.now, type, id, digest });
    this.#sql.insertEntry.run(seq, this.now, type, id, detail, digest, hash, created === undefined ? null : Number(created.assisted));
    this.head = { seq, hash };
    return seq;
  }

  /** What an act may change outside the database, to be put back where the act is undone. */
  mark(): Mark {
    return { head: this.head, tallies: this.#tallies.length, unlogged: this.#unlogged };
  }
  backTo({ head, tallies }: Mark): void {
    this.head = head;
    this.#tallies.cut(tallies);
    this.#forget();
  }
  #forget(): void {
    this.#agents.forget();
    this.#threads.forget();
    this.moderation.forget();
  }
  /** Whether nothing has been written since the mark: every act that changes a message says so in the log first. */
  isAt({ head, tallies, unlogged }: Mark): boolean {
    return this.head === head && this.#tallies.length === tallies && this.#unlogged === unlogged;
  }
  /** Writes the counts of the whole transaction; the last step before its end. */
  writeTallies(): void {
    this.#tallies.write(this.now);
  }

  takeTouched(): Touched {
    const { seqs, agents, roots, all } = this.#touched;
    this.#touched = { seqs: new Set(), agents: new Set(), roots: new Set(), all: false };
    return { seqs: [...seqs], agents: [...agents], roots: [...roots], all };
  }

  authorFacts(agent: string): AuthorFacts {
    const { firstSeen, messages } = this.#agents.find(agent) ?? { firstSeen: this.now, messages: 0 };
    return { firstSeen, messages };
  }
  threadFacts(root: string): ThreadFacts {
    return this.#threads.facts(root);
  }
  nextDue(): number | null {
    return this.#sql.nextDue.get()!["due"] as number | null;
  }
  /** Attachments have a time of their own, shorter than that of their messages; so has what people wrote in reports. */
  dropOverdueTexts(): void {
    this.#sql.dropOldBlobs.run(this.now);
    this.moderation.dropOverdueTexts(this.now);
  }
  /** Forgets what has been kept long enough. */
  prune(): void {
    this.#tallies.prune(this.now);
    this.#threads.keepRootsBefore(this.now - LIMITS.gone_days * DAY_MS);
    this.#sql.dropOldGone.run(this.now - LIMITS.gone_days * DAY_MS);
    this.#sql.dropOldArrivals.run(this.now - LIMITS.once_days * DAY_MS);
  }
  /** Forgets who has long done nothing; not those who have just come back. */
  forgetSilentAgents(): void {
    this.#agents.prune(this.now - LIMITS.agent_days * DAY_MS);
  }
}
