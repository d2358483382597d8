// The board's rules in their simplest form: every question is answered from the whole list of messages.
import type { Payload, Ref } from "../../src/core/protocol/payload.ts";

export interface Posted {
  readonly id: string;
  readonly author: string;
  readonly payload: Payload;
  readonly at: number;
  readonly root: string;
}

export interface Facts {
  readonly status: string;
  readonly verifies: number;
  readonly refutes: number;
  readonly replies: number;
  readonly answers: number;
  readonly rejected: number;
  /** The number of answers that are verified by their own votes. It is never shown, but every later status depends on it. */
  readonly answersVerified: number;
  readonly signals: Readonly<Record<string, number>>;
  readonly claimed_by: string | null;
  readonly lease_until: string | null;
  readonly superseded_by: string | null;
  readonly duplicate_of: string | null;
  readonly root: string;
  readonly thread_messages: number;
}

export interface Votes {
  readonly verifies: number;
  readonly refutes: number;
}

/** A count for each name. */
export type Counts = Readonly<Record<string, number>>;

export interface AgentRecord {
  readonly total: number;
  readonly live: number;
  readonly byKind: Counts;
  readonly work: Counts;
  readonly given: Votes;
  readonly received: Votes;
  readonly signals: Counts;
  readonly offers: readonly string[];
  readonly needs: readonly string[];
  readonly profile: string | undefined;
}

const JOINS_THREAD = new Set(["reply", "subtask_of", "answers", "claims", "verifies", "refutes", "on", "retracts"]);
const NEEDS_LIVE = new Set(["subtask_of", "answers", "claims", "verifies", "refutes", "on", "retracts", "supersedes"]);
const DAY = 86_400_000;
const LEASES = 8;
const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };

const workable = (m: Posted): boolean => ["task", "subtask", "question"].includes(m.payload.kind);
const refs = (m: Posted): readonly Ref[] => m.payload.refs ?? [];
const points = (m: Posted, rel: string, id: string): boolean => refs(m).some((ref) => ref.rel === rel && ref.id === id);
const counted = (words: readonly string[]): Counts =>
  Object.fromEntries(Object.entries(Object.groupBy(words, (word) => word)).map(([word, same]) => [word, same?.length ?? 0]));
const votesOf = (rels: Iterable<string>): Votes => ({ verifies: 0, refutes: 0, ...counted([...rels]) });
type LabelsOf = "tags" | "needs" | "offers";
const folded = (label: string): string => label.toLowerCase();
/** Each label once, in its first spelling. */
const labels = (m: Posted, field: LabelsOf): readonly string[] =>
  (m.payload[field] ?? []).filter((one, i, all) => all.findIndex((other) => folded(other) === folded(one)) === i);
const iso = (ms: number): string => new Date(ms).toISOString();

function millis(value: string | number | undefined, otherwise: number): number {
  if (value === undefined) return otherwise * 1000;
  return typeof value === "number" ? value * 1000 : Number.parseInt(value, 10) * (UNITS[value.at(-1) ?? ""] ?? Number.NaN) * 1000;
}

export class Model {
  readonly messages: Posted[] = [];
  now: number;
  readonly began: number;
  #memo: { key: string; acting: readonly Posted[] } = { key: "", acting: [] };

  constructor(now: number) {
    this.now = now;
    this.began = now;
  }

  /** "created", "exists" or the code of the refusal. */
  post(id: string, author: string, payload: Payload): string {
    const known = this.#get(id);
    if (known !== undefined) return this.goneReason(known) ?? "exists";
    for (const ref of payload.refs ?? []) {
      const code = this.#refusal(ref, author, payload);
      if (code !== undefined) return code;
    }
    const joining = (payload.refs ?? []).find((ref) => JOINS_THREAD.has(ref.rel));
    const root = joining === undefined ? id : (this.#get(joining.id)?.root ?? joining.id);
    this.messages.push({ id, author, payload, at: this.now, root });
    return "created";
  }

  goneReason(m: Posted): "expired" | "retracted" | undefined {
    if (this.#retraction(m) !== undefined) return "retracted";
    return this.expiresAt(m) <= this.now ? "expired" : undefined;
  }

  goneAt(m: Posted): number {
    return this.#retraction(m)?.at ?? this.expiresAt(m);
  }

  expiresAt(m: Posted): number {
    return m.at + millis(m.payload.ttl, 7 * 86_400);
  }

  supersededBy(m: Posted): string | undefined {
    return this.messages.find((other) => points(other, "supersedes", m.id))?.id;
  }

  /** Future moments at which time changes something. */
  moments(): readonly number[] {
    const ends = this.messages.map((m) => this.expiresAt(m));
    const leases = this.messages.filter((m) => refs(m).some((ref) => ref.rel === "claims")).map((m) => this.#leaseEnd(m));
    return [...ends, ...leases].filter((at) => at > this.now).sort((a, b) => a - b);
  }

  facts(m: Posted): Facts {
    const lease = this.#lease(m);
    const { verifies, refutes } = this.#votes(m);
    return {
      status: this.#status(m),
      verifies,
      refutes,
      replies: this.#acting().filter((other) => points(other, "reply", m.id)).length,
      answers: this.#answers(m).length,
      answersVerified: this.#answers(m).filter((answer) => this.#verified(answer)).length,
      rejected: this.#given(m).length - this.#answers(m).length,
      signals: this.#signals(m),
      claimed_by: lease?.author ?? null,
      lease_until: lease === undefined ? null : iso(this.#leaseEnd(lease)),
      superseded_by: this.supersededBy(m) ?? null,
      duplicate_of: refs(m).find((ref) => ref.rel === "duplicates")?.id ?? null,
      root: m.root,
      thread_messages: this.messages.filter((other) => other.root === m.root && this.goneReason(other) === undefined).length,
    };
  }

  /** The agent's record in the directory. */
  agent(id: string): AgentRecord {
    const acting = this.#acting().filter((m) => m.author === id);
    const live = this.#live();
    const own = live.filter((m) => m.author === id);
    const answered = (m: Posted) => this.#answers(m).some((answer) => answer.author === id);
    return {
      total: this.messages.filter((m) => m.author === id).length,
      live: acting.length,
      byKind: counted(acting.map((m) => m.payload.kind)),
      work: {
        claimed: live.filter((m) => this.#lease(m)?.author === id).length,
        answered: acting.filter((m) => refs(m).some((ref) => ref.rel === "answers")).length,
        resolved: live.filter((m) => this.#status(m) === "resolved" && answered(m)).length,
      },
      given: votesOf(live.flatMap((m) => this.#voters(m).get(id) ?? [])),
      received: votesOf(own.flatMap((m) => [...this.#voters(m).values()])),
      signals: counted(own.flatMap((m) => this.#signallers(m).flatMap(({ payload }) => payload.signal ?? []))),
      offers: this.#shown("offers", acting),
      needs: this.#shown("needs", acting),
      profile: acting.findLast((m) => m.payload.kind === "profile")?.id,
    };
  }

  /** Totals of the board: live messages without superseded ones, by their fields. */
  totals() {
    const acting = this.#acting();
    return {
      kind: counted(acting.map((m) => m.payload.kind)),
      status: counted(acting.map((m) => this.#status(m))),
      work: counted(acting.filter(workable).map((m) => this.#status(m))),
      tag: counted(acting.flatMap((m) => labels(m, "tags").map(folded))),
      need: counted(acting.flatMap((m) => labels(m, "needs").map(folded))),
      offer: counted(acting.flatMap((m) => labels(m, "offers").map(folded))),
      threads: new Set(this.#live().map((m) => m.root)).size,
    };
  }

  /** The labels of some messages, each in its most frequent spelling on the board; the folded spelling wins a tie. */
  #shown(field: LabelsOf, of: readonly Posted[]): readonly string[] {
    const used = counted(this.#acting().flatMap((m) => labels(m, field)));
    return [...new Set(of.flatMap((m) => labels(m, field).map(folded)))].toSorted().map((label) => {
      const spellings = Object.keys(used).filter((one) => folded(one) === label && one !== label);
      const [best] = spellings.toSorted((a, b) => used[b]! - used[a]! || (a < b ? -1 : 1));
      return best !== undefined && used[best]! > (used[label] ?? 0) ? best : label;
    });
  }

  #live(): readonly Posted[] {
    return this.messages.filter((m) => this.goneReason(m) === undefined);
  }

  #get(id: string): Posted | undefined {
    return this.messages.find((m) => m.id === id);
  }

  #acting(): readonly Posted[] {
    const key = `${this.messages.length} ${this.now}`;
    if (this.#memo.key !== key)
      this.#memo = { key, acting: this.messages.filter((m) => this.goneReason(m) === undefined && this.supersededBy(m) === undefined) };
    return this.#memo.acting;
  }

  #retraction(m: Posted): Posted | undefined {
    const later = this.messages.slice(this.messages.indexOf(m) + 1);
    return later.find(
      (other) =>
        points(other, "retracts", m.id) ||
        (other.payload.kind === "retraction" &&
          other.payload.data?.["scope"] === "all" &&
          other.author === m.author &&
          other.at < this.expiresAt(m)),
    );
  }

  #refusal({ rel, id }: Ref, author: string, payload: Payload): string | undefined {
    if (!NEEDS_LIVE.has(rel)) return undefined;
    const target = this.#get(id);
    if (target === undefined) return "target_unknown";
    if (this.goneReason(target) !== undefined) return "target_gone";
    if (this.supersededBy(target) !== undefined && rel !== "retracts") return "target_gone";
    if (rel === "claims" && !workable(target)) return "target_not_workable";
    if (["retracts", "supersedes"].includes(rel) && target.author !== author) return "not_author";
    if (rel === "on" && this.#acting().some((m) => m.author === author && m.payload.signal === payload.signal && points(m, "on", id)))
      return payload.signal === undefined ? undefined : "already_signaled";
    if (rel !== "claims") return undefined;
    if (this.#status(target) === "resolved") return "target_resolved";
    if (target.payload.to !== undefined && target.payload.to !== author) return "reserved";
    if (this.#stale(target, author).some((signal) => signal.at + DAY > this.now)) return "reserved";
    const toAnswer = this.#live().filter((m) => this.supersededBy(m) === undefined && this.#status(m) === "claimed");
    if (toAnswer.filter((m) => m !== target && this.#lease(m)?.author === author).length >= LEASES) return "too_many_leases";
    const lease = this.#lease(target);
    return lease !== undefined && lease.author !== author ? "already_claimed" : undefined;
  }

  /** Only the newest claim counts, as long as it is in force. */
  #lease(m: Posted): Posted | undefined {
    const claim = this.messages.findLast((other) => points(other, "claims", m.id));
    if (claim === undefined || !this.#acting().includes(claim) || this.#leaseEnd(claim) <= this.now) return undefined;
    const ended = this.#stale(m, claim.author).some((signal) => this.messages.indexOf(signal) > this.messages.indexOf(claim));
    return ended ? undefined : claim;
  }

  /** Signals with which the author of the work has ended an agent's lease for good. */
  #stale(m: Posted, agent: string): readonly Posted[] {
    const claims = this.messages.filter((other) => other.author === agent && points(other, "claims", m.id));
    return this.messages.filter(
      (other) => other.author === m.author && other.payload.signal === "stale" && claims.some((claim) => points(other, "on", claim.id)),
    );
  }

  #leaseEnd(claim: Posted): number {
    return Math.min(claim.at + millis(claim.payload.lease, 4 * 3600), this.expiresAt(claim));
  }

  #votes(m: Posted): Votes {
    return votesOf(this.#voters(m).values());
  }

  /** Each agent's newest vote. */
  #voters(m: Posted): ReadonlyMap<string, string> {
    const newest = new Map<string, string>();
    for (const other of this.#acting()) {
      if (other.author === m.author) continue;
      for (const { rel, id } of refs(other)) if (id === m.id && (rel === "verifies" || rel === "refutes")) newest.set(other.author, rel);
    }
    return newest;
  }

  #disputed(m: Posted): boolean {
    return this.#votes(m).refutes >= Math.max(1, this.#votes(m).verifies);
  }

  #verified(m: Posted): boolean {
    return this.#votes(m).verifies > this.#votes(m).refutes;
  }

  /** All answers, rejected or not. */
  #given(m: Posted): readonly Posted[] {
    return workable(m) ? this.#acting().filter((other) => points(other, "answers", m.id)) : [];
  }

  #answers(m: Posted): readonly Posted[] {
    return this.#given(m).filter((answer) => {
      const asker = this.#voters(answer).get(m.author);
      const { verifies, refutes } = this.#votes(answer);
      return asker !== "refutes" && (refutes <= verifies || asker === "verifies");
    });
  }

  #signals(m: Posted): Counts {
    return counted(this.#signallers(m).flatMap(({ payload }) => payload.signal ?? []));
  }

  #signallers(m: Posted): readonly Posted[] {
    return this.#acting().filter((other) => points(other, "on", m.id));
  }

  #status(m: Posted): string {
    const answers = this.#answers(m);
    const counts = !workable(m) || answers.length > 0;
    const done = this.#acting().some((x) => x.author === m.author && x.payload.signal === "resolved" && points(x, "on", m.id));
    if (done || refs(m).some((ref) => ref.rel === "duplicates")) return "resolved";
    if (counts && this.#disputed(m)) return "disputed";
    if ((counts && this.#verified(m)) || answers.some((answer) => this.#verified(answer))) return "verified";
    if (answers.length > 0) return "answered";
    return workable(m) && this.#lease(m) !== undefined ? "claimed" : "open";
  }
}
