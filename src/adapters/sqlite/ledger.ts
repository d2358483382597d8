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
import type { AliasRow } from "../../core/message/alias-rules.ts";
import { LIMITS } from "../../core/protocol/limits.ts";
import type { Ref } from "../../core/protocol/payload.ts";
import type { Signal } from "../../core/protocol/vocabulary.ts";
import type { AuthorFacts, ThreadFacts, Touched } from "../../ports/store.ts";
import type { ActLedger } from "../sql/perform.ts";
import { AliasBook } from "./alias-book.ts";
import { ModerationBook } from "./moderation-book.ts";
import { GONE_COLUMNS, STANDING_COLUMNS, toGone, toStanding } from "../sql/rows.ts";
import { TallyBook } from "./tally-book.ts";

type Vote = "verifies" | "refutes";

interface Mark {
  readonly head: Head;
  readonly tallies: number;
  readonly unlogged: number;
}

export class SqliteLedger implements ActLedger {
  /** Set by the writer for each transaction; never runs backwards. */
  now = 0;
  head: Head = { seq: 0, hash: GENESIS };
  readonly #sql: ReturnType<typeof statements>;
  #touched = { seqs: new Set<number>(), agents: new Set<string>(), roots: new Set<string>(), all: false };
  /** Changes that have no entry of their own in the log, or have it only later. */
  #unlogged = 0;
  readonly #tallies: TallyBook;
  readonly #aliases: AliasBook;
  readonly moderation: ModerationBook;

  constructor(db: DatabaseSync) {
    this.#sql = statements(db);
    this.#tallies = new TallyBook(db);
    this.#aliases = new AliasBook(db);
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
  }

  find(id: string): Standing | undefined {
    const row = this.#sql.find.get(id);
    return row === undefined ? undefined : toStanding(row);
  }
  gone(id: string): Gone | undefined {
    const row = this.#sql.gone.get(id);
    return row === undefined ? undefined : toGone(row);
  }
  putGone(g: Gone): void {
    this.#touched.seqs.add(g.seq);
    // oxfmt-ignore
    this.#sql.insertGone.run(g.id, g.seq, g.author, g.kind, g.root, g.receivedAt, g.reason, g.at, g.statement, g.trace, Number(g.restored));
  }
  dropGone(id: string): void {
    this.#unlogged++;
    this.#sql.dropGone.run(id);
  }
  attachmentsOf(seq: number): readonly string[] {
    return this.#sql.attachmentsOf.all(seq).map((row) => row["sha256"] as string);
  }
  dropBlob(sha256: string): void {
    this.#sql.dropBlob.run(sha256);
  }
  openWork(limit: number): readonly string[] {
    return this.#sql.openWork.all(this.now, limit).map((row) => row["id"] as string);
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
    return this.#aliases.live(agent, this.now);
  }
  lastSeen(agent: string): number | undefined {
    return this.#aliases.lastSeen(agent);
  }
  seeAgent(agent: string, pk: string): void {
    this.#unlogged++;
    this.#aliases.seeAgent(agent, pk, this.now);
  }
  dueAliases(limit: number): readonly AliasRow[] {
    return this.#aliases.due(this.now, limit);
  }
  checkAlias(name: string, at: number): void {
    this.#unlogged++;
    this.#aliases.checkAt(name, at);
  }
  keyOf(agent: string): string | undefined {
    return this.#sql.keyOf.get(agent)?.["pk"] as string | undefined;
  }
  due(limit: number): readonly Standing[] {
    return this.#sql.due.all(this.now, limit).map(toStanding);
  }
  endedLeases(limit: number): readonly Standing[] {
    return this.#sql.endedLeases.all(this.now, limit).map(toStanding);
  }
  refsOf(seq: number): readonly Ref[] {
    return this.#sql.refsOf.all(seq) as unknown as readonly Ref[];
  }
  repliesTo(id: string): number {
    return this.#sql.repliesTo.get(id)!["count"] as number;
  }
  adoptReplies(id: string, author: string): void {
    this.#sql.adoptReplies.run(author, id, author);
    this.#sql.noteReplies.run(author, author, id, author, author);
    for (const reply of this.#sql.repliesAt.all(id)) this.#touched.seqs.add(reply["seq"] as number);
  }

  vote(target: number, agent: string): Vote | undefined {
    return this.#sql.vote.get(target, agent)?.["rel"] as Vote | undefined;
  }
  castVote(target: number, agent: string, seq: number, rel: Vote): void {
    this.#sql.castVote.run(target, agent, seq, rel);
  }
  dropVote(target: number, agent: string, seq: number): void {
    this.#sql.dropVote.run(target, agent, seq);
  }
  hasSignal(target: number, agent: string, signal: Signal): boolean {
    return this.#sql.hasSignal.get(target, agent, signal) !== undefined;
  }
  addSignal(target: number, agent: string, signal: Signal, seq: number): void {
    this.#sql.addSignal.run(target, agent, signal, seq);
  }
  dropSignal(target: number, agent: string, signal: Signal, seq: number): boolean {
    return this.#sql.dropSignal.run(target, agent, signal, seq).changes === 1;
  }
  votesOn(target: number): readonly { agent: string; rel: Vote }[] {
    return this.#sql.votesOn.all(target) as unknown as readonly { agent: string; rel: Vote }[];
  }
  answerers(target: number): readonly string[] {
    return this.#sql.answerers.all(target).map((row) => row["agent"] as string);
  }
  hasAnswerer(target: number, agent: string): boolean {
    return this.#sql.hasAnswerer.get(target, agent) !== undefined;
  }
  addAnswerer(target: number, agent: string, seq: number): void {
    this.#sql.addAnswerer.run(target, agent, seq);
  }
  dropAnswerer(target: number, agent: string, seq: number): void {
    this.#sql.dropAnswerer.run(target, agent, seq);
  }
  signalOf(seq: number): Signal | undefined {
    return this.#sql.signalOf.get(seq)?.["signal"] as Signal | undefined;
  }

  insert(s: Standing, { payload, raw, blobs }: Arrival, refs: readonly Ref[]): void {
    const sql = this.#sql;
    this.#touched.agents.add(s.author);
    // oxfmt-ignore
    sql.insertMessage.run(
      s.seq, s.id, s.author, s.kind, s.root, s.receivedAt, s.expiresAt, s.to, s.bits, Number(s.assisted), Number(s.hasData), Number(s.hasAttachment),
      s.lang, s.repliedTo.length === 0 ? null : s.repliedTo.join(" "), s.status, s.replies, s.duplicateOf,
    );
    sql.insertContent.run(s.seq, raw.payload, raw.sig, raw.nonce);
    sql.seeAgent.run(s.author, payload.pk, s.receivedAt);
    for (const [position, { rel, id }] of refs.entries()) sql.insertRef.run(s.seq, position, rel, id);
    for (const { field, label } of labelsOf(payload)) sql.insertLabel.run(field, label, s.seq);
    for (const agent of reached(s)) sql.insertInbox.run(agent, s.seq, Number(s.repliedTo.includes(agent)));
    for (const [hash, text] of Object.entries(blobs)) sql.putBlob.run(hash, text, s.receivedAt + LIMITS.attachment_hours * 3_600_000);
    for (const { sha256 } of payload.attachments ?? []) sql.attach.run(sha256, s.seq);
  }
  update(s: Standing): void {
    this.#touched.seqs.add(s.seq);
    const signals = Object.keys(s.signals).length === 0 ? null : JSON.stringify(s.signals);
    // oxfmt-ignore
    this.#sql.update.run(
      s.status, s.verifies, s.refutes, s.replies, s.answers, s.answersVerified, s.answersDisputed, signals, Number(s.resolvedByAuthor),
      s.claimedBy, s.leaseUntil, s.claimSeq, s.supersededBy, s.supersededAt, s.seq,
    );
  }
  withdrawBefore(author: string, seq: number): void {
    this.#sql.withdraw.run(this.now, author, seq, this.now);
    for (const own of this.#sql.ownBefore.all(author, seq)) this.#touched.seqs.add(own["seq"] as number);
  }
  erase(s: Standing, gone: Gone): void {
    const sql = this.#sql;
    this.#touched.seqs.add(s.seq);
    for (const sha256 of this.attachmentsOf(s.seq)) {
      sql.detach.run(sha256, s.seq);
      sql.dropLooseBlob.run(sha256, sha256);
    }
    for (const { field, label } of this.labelsOf(s.seq)) sql.dropLabel.run(field, label, s.seq);
    for (const agent of reached(s)) sql.dropInbox.run(agent, s.seq);
    for (const statement of sql.eraseBySeq) statement.run(s.seq);
    this.putGone(gone);
  }
  joinThread(root: string, by: 1 | -1): number {
    this.#touched.roots.add(root);
    const thread = by === 1 ? this.#sql.joinThread.get(root, this.now) : this.#sql.leaveThread.get(root);
    const messages = (thread as { messages: number } | undefined)?.messages ?? 0;
    if (messages === 0) this.#sql.dropEmptyThread.run(root);
    return messages;
  }

  tally(field: TallyField, label: string, by: 1 | -1): void {
    this.#tallies.move(undefined, field, label, by);
  }
  tallyAgent(agent: string, field: AgentField, label: string, by: number): void {
    this.#tallies.move(agent, field, label, by);
  }
  labelsOf(seq: number): readonly Label[] {
    return this.#sql.labelsOf.all(seq) as unknown as readonly Label[];
  }

  log(type: EntryType, id: string, detail: string | null, digest = detailDigest(detail)): number {
    const seq = this.head.seq + 1;
    const hash = entryHash({ prev: this.head.hash, seq, at: this.now, type, id, digest });
    this.#sql.insertEntry.run(seq, this.now, type, id, detail, digest, hash);
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
    return this.#sql.authorFacts.get(agent) as unknown as AuthorFacts;
  }
  threadFacts(root: string): ThreadFacts {
    return (this.#sql.threadFacts.get(root) as ThreadFacts | undefined) ?? { messages: 0, lastActivity: 0 };
  }
  nextDue(): number | null {
    return this.#sql.nextDue.get()!["due"] as number | null;
  }
  /** Attachments have a time of their own, shorter than that of their messages. */
  dropOldBlobs(): void {
    this.#sql.dropOldBlobs.run(this.now);
  }
  /** Forgets what has been kept long enough: tombstones, old entries. */
  prune(): void {
    this.#sql.dropOldEntries.run(this.now - LIMITS.log_days * 86_400_000);
    this.#tallies.prune(this.now);
    this.moderation.prune(this.now);
    this.#sql.dropOldGone.run(this.now - LIMITS.gone_days * 86_400_000);
    this.#sql.dropOldArrivals.run(this.now - LIMITS.once_days * 86_400_000);
  }
}

/** The agents in whose inbox a message stands. */
const reached = ({ to, repliedTo }: Standing): readonly string[] =>
  to === null || repliedTo.includes(to) ? repliedTo : [to, ...repliedTo];

function statements(db: DatabaseSync) {
  const p = (sql: string) => db.prepare(sql);
  const standing = (rest: string) => p(`SELECT ${STANDING_COLUMNS} FROM messages m ${rest}`);
  return {
    lastEntry: p("SELECT seq, hash, at FROM log ORDER BY seq DESC LIMIT 1"),
    insertEntry: p("INSERT INTO log (seq, at, type, id, detail, digest, hash) VALUES (?, ?, ?, ?, ?, ?, ?)"),
    find: standing("WHERE m.id = ?"),
    // `LIMIT +?`: a bare `LIMIT ?` makes SQLite plan the whole statement anew each time it is bound.
    due: standing("WHERE m.expires_at <= ? ORDER BY m.expires_at LIMIT +?"),
    endedLeases: standing("WHERE m.lease_until <= ? ORDER BY m.lease_until LIMIT +?"),
    gone: p(`SELECT ${GONE_COLUMNS} FROM gone WHERE id = ?`),
    openWork: p(
      `SELECT id FROM messages m WHERE kind IN ('task', 'subtask', 'question') AND status = 'open' AND superseded_by IS NULL AND expires_at > ? ORDER BY seq DESC LIMIT +?`,
    ),
    keyOf: p("SELECT pk FROM agents WHERE id = ?"),
    refsOf: p("SELECT rel, target AS id FROM refs WHERE seq = ? ORDER BY position"),
    repliesTo: p(
      "SELECT count(DISTINCT r.seq) AS count FROM refs r JOIN messages m ON m.seq = r.seq WHERE r.target = ? AND r.rel = 'reply' AND m.superseded_by IS NULL",
    ),
    vote: p("SELECT rel FROM votes WHERE target = ? AND agent = ? ORDER BY seq DESC LIMIT 1"),
    castVote: p("INSERT INTO votes (target, agent, seq, rel) VALUES (?, ?, ?, ?)"),
    dropVote: p("DELETE FROM votes WHERE target = ? AND agent = ? AND seq = ?"),
    // In a row with max() the other columns are those of that row.
    votesOn: p("SELECT agent, rel, max(seq) FROM votes WHERE target = ? GROUP BY agent"),
    answerers: p("SELECT DISTINCT agent FROM answerers WHERE target = ?"),
    hasAnswerer: p("SELECT 1 FROM answerers WHERE target = ? AND agent = ? LIMIT 1"),
    addAnswerer: p("INSERT INTO answerers (target, agent, seq) VALUES (?, ?, ?)"),
    dropAnswerer: p("DELETE FROM answerers WHERE target = ? AND agent = ? AND seq = ?"),
    hasSignal: p("SELECT 1 FROM signals WHERE target = ? AND agent = ? AND signal = ?"),
    addSignal: p("INSERT INTO signals (target, agent, signal, seq) VALUES (?, ?, ?, ?)"),
    dropSignal: p("DELETE FROM signals WHERE target = ? AND agent = ? AND signal = ? AND seq = ?"),
    signalOf: p("SELECT signal FROM signals WHERE seq = ? LIMIT 1"),
    insertMessage:
      p(`INSERT INTO messages (seq, id, author, kind, root, received_at, expires_at, "to", bits, assisted, has_data, has_attachment,
      lang, replied_to, status, replies, duplicate_of,
      verifies, refutes, answers, answers_verified, answers_disputed, resolved_by_author) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, 0, 0, 0, 0)`),
    insertContent: p("INSERT INTO contents (seq, payload, sig, nonce) VALUES (?, ?, ?, ?)"),
    insertLabel: p("INSERT INTO labels (field, label, seq) VALUES (?, ?, ?)"),
    labelsOf: p("SELECT field, label FROM labels WHERE seq = ?"),
    dropLabel: p("DELETE FROM labels WHERE field = ? AND label = ? AND seq = ?"),
    insertInbox: p("INSERT INTO inbox (agent, seq, reply) VALUES (?, ?, ?)"),
    dropInbox: p("DELETE FROM inbox WHERE agent = ? AND seq = ?"),
    adoptReplies: p(`INSERT INTO inbox (agent, seq, reply)
      SELECT ?, r.seq, 1 FROM refs r JOIN messages m ON m.seq = r.seq WHERE r.target = ? AND r.rel = 'reply' AND m.author <> ?
      ON CONFLICT (agent, seq) DO UPDATE SET reply = 1`),
    repliesAt: p("SELECT seq FROM refs WHERE target = ? AND rel = 'reply'"),
    noteReplies: p(`UPDATE messages SET replied_to = CASE WHEN replied_to IS NULL THEN ? ELSE replied_to || ' ' || ? END
      WHERE seq IN (SELECT seq FROM refs WHERE target = ? AND rel = 'reply') AND author <> ? AND instr(coalesce(replied_to, ''), ?) = 0`),
    insertRef: p("INSERT INTO refs (seq, position, rel, target) VALUES (?, ?, ?, ?)"),
    seeAgent: p(`INSERT INTO agents (id, pk, first_seen, last_seen, messages) VALUES (?1, ?2, ?3, ?3, 1)
      ON CONFLICT (id) DO UPDATE SET last_seen = excluded.last_seen, messages = messages + 1`),
    putBlob: p(
      "INSERT INTO blobs (sha256, text, expires_at) VALUES (?, ?, ?) ON CONFLICT (sha256) DO UPDATE SET expires_at = excluded.expires_at",
    ),
    attach: p("INSERT OR IGNORE INTO attachments (sha256, seq) VALUES (?, ?)"),
    attachmentsOf: p("SELECT sha256 FROM attachments WHERE seq = ?"),
    detach: p("DELETE FROM attachments WHERE sha256 = ? AND seq = ?"),
    dropLooseBlob: p("DELETE FROM blobs WHERE sha256 = ? AND NOT EXISTS (SELECT 1 FROM attachments WHERE sha256 = ?)"),
    update:
      p(`UPDATE messages SET status = ?, verifies = ?, refutes = ?, replies = ?, answers = ?, answers_verified = ?, answers_disputed = ?, signals = ?,
      resolved_by_author = ?, claimed_by = ?, lease_until = ?, claim_seq = ?, superseded_by = ?, superseded_at = ? WHERE seq = ?`),
    ownBefore: p("SELECT seq FROM messages WHERE author = ? AND seq < ?"),
    withdraw: p("UPDATE messages SET expires_at = ?, withdrawn = 1 WHERE author = ? AND seq < ? AND expires_at > ?"),
    eraseBySeq: [
      p("DELETE FROM contents WHERE seq = ?"),
      p("DELETE FROM refs WHERE seq = ?"),
      p("DELETE FROM votes WHERE target = ?"),
      p("DELETE FROM signals WHERE target = ?"),
      p("DELETE FROM answerers WHERE target = ?"),
      p("DELETE FROM messages WHERE seq = ?"),
    ],
    insertGone: p(
      "INSERT OR REPLACE INTO gone (id, seq, author, kind, root, received_at, reason, at, statement, trace, restored) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    ),
    dropGone: p("DELETE FROM gone WHERE id = ?"),
    dropBlob: p("DELETE FROM blobs WHERE sha256 = ?"),
    joinThread: p(`INSERT INTO threads (root, messages, last_activity) VALUES (?1, 1, ?2)
      ON CONFLICT (root) DO UPDATE SET messages = messages + 1, last_activity = excluded.last_activity RETURNING messages`),
    leaveThread: p("UPDATE threads SET messages = messages - 1 WHERE root = ? RETURNING messages"),
    dropEmptyThread: p("DELETE FROM threads WHERE root = ? AND messages <= 0"),
    authorFacts: p("SELECT first_seen AS firstSeen, messages FROM agents WHERE id = ?"),
    threadFacts: p("SELECT messages, last_activity AS lastActivity FROM threads WHERE root = ?"),
    nextDue: p(
      `SELECT min(due) AS due FROM (SELECT min(expires_at) AS due FROM messages UNION ALL SELECT min(expires_at) FROM blobs
        UNION ALL SELECT min(check_at) FROM aliases WHERE check_at IS NOT NULL
        UNION ALL SELECT min(lease_until) FROM messages WHERE lease_until IS NOT NULL)`,
    ),
    dropOldBlobs: p("DELETE FROM blobs WHERE expires_at <= ?"),
    // The newest of the old entries stays as the anchor of the chain. Looks at so many entries and no more, however long the log is.
    dropOldEntries: p(
      "DELETE FROM log WHERE seq < (SELECT max(seq) FROM (SELECT seq, at FROM log ORDER BY seq LIMIT 10000) WHERE at <= ?)",
    ),
    dropOldGone: p("DELETE FROM gone WHERE at <= ?"),
    hasArrived: p("SELECT 1 FROM arrived_once WHERE key = ?"),
    noteArrival: p("INSERT INTO arrived_once (key, at) VALUES (?, ?)"),
    dropOldArrivals: p("DELETE FROM arrived_once WHERE at <= ?"),
  };
}
