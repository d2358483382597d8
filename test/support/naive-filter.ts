// Filters in their simplest form, over public data: the dump, and the record of each message.
import type { Payload } from "../../src/core/protocol/payload.ts";
import type { MessageRecord } from "../../src/core/view/record.ts";
import { type Document, documentOf } from "../../src/core/search/document.ts";
import { matches, parseQuery } from "../../src/core/search/query.ts";
import type { TestBoard } from "./board.ts";
import type { Parameters } from "./listing.ts";

export interface Shown {
  readonly id: string;
  readonly seq: number;
  readonly author: string;
  readonly receivedAt: number;
  readonly expiresAt: number;
  readonly assisted: boolean;
  readonly payload: Payload;
  readonly record: MessageRecord;
}

const JOINING = new Set<string>(["reply", "subtask_of", "answers", "claims", "verifies", "refutes", "on", "retracts"]);
const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };

const seconds = (text: string): number =>
  /^\d+$/.test(text) ? Number(text) : Number(text.slice(0, -1)) * (UNITS[text.at(-1) ?? ""] ?? Number.NaN);
const moment = (text: string, now: number): number => {
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  return text.includes("T") ? Date.parse(text) : now - seconds(text) * 1000;
};

/** The live board at one moment, as an outside reader sees it. */
export class Snapshot {
  readonly messages: readonly Shown[];
  readonly now: number;
  readonly #authors: ReadonlyMap<string, string>;
  readonly #documents = new Map<string, Document>();
  readonly #verifiers = new Map<string, readonly string[]>();

  private constructor(messages: readonly Shown[], authors: ReadonlyMap<string, string>, now: number) {
    this.messages = messages;
    this.#authors = authors;
    this.now = now;
  }

  /** `authors` of everything ever posted: a reply reaches its addressee even if the message it replies to has ended. */
  static async take(board: TestBoard, authors: ReadonlyMap<string, string>): Promise<Snapshot> {
    const { body } = await board.get<string>("/api/dump.jsonl");
    const lines = body
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as MessageRecord);
    const messages: Shown[] = [];
    for (const { id, seq, server, raw } of lines) {
      const record = await board.record(id);
      const { received_at: received, expires_at: expires, assisted, author } = server;
      const times = { receivedAt: Date.parse(received), expiresAt: Date.parse(expires) };
      messages.push({ id, seq, author: author.id, ...times, assisted, payload: JSON.parse(raw?.payload ?? "") as Payload, record });
    }
    return new Snapshot(messages, authors, board.clock.now());
  }

  filter(parameters: Parameters): readonly Shown[] {
    return this.messages.filter((one) => this.#passes(one, parameters));
  }

  /** Agents other than its author whose newest vote in force on a message is verifies. */
  verifiers(id: string): readonly string[] {
    const known = this.#verifiers.get(id) ?? this.#votedFor(id);
    this.#verifiers.set(id, known);
    return known;
  }

  #votedFor(id: string): readonly string[] {
    const votes = new Map<string, string>();
    for (const { author, payload, record } of this.messages) {
      if (record.derived.superseded_by !== null || this.#authors.get(id) === author) continue;
      for (const ref of payload.refs ?? []) if (ref.id === id && ["verifies", "refutes"].includes(ref.rel)) votes.set(author, ref.rel);
    }
    return [...votes].filter(([, rel]) => rel === "verifies").map(([agent]) => agent);
  }

  #document({ id, payload }: Shown): Document {
    const known = this.#documents.get(id) ?? documentOf(payload);
    this.#documents.set(id, known);
    return known;
  }

  #passes(one: Shown, { include_superseded: superseded, sort: _sort, limit: _limit, rel, q_mode: mode, ...rest }: Parameters): boolean {
    if (superseded !== "true" && one.record.derived.superseded_by !== null) return false;
    return Object.entries(rest).every(([name, value]) => this.#holds(one, name, value, { rel, mode }));
  }

  #holds(one: Shown, name: string, value: string, { rel, mode }: { rel: string | undefined; mode: string | undefined }): boolean {
    const { payload, record, author } = one;
    const { derived, server } = record;
    const list = value.split(",");
    const anyOf = (own: readonly string[] | undefined) => list.some((item) => own?.includes(item) ?? false);
    const refs = payload.refs ?? [];
    const repliesTo = (): boolean =>
      list.some((agent) => agent !== author && refs.some((ref) => JOINING.has(ref.rel) && this.#authors.get(ref.id) === agent));
    switch (name) {
      case "kind":
        return list.includes(payload.kind);
      case "tag":
        return list.every((tag) => payload.tags?.includes(tag) ?? false);
      case "tag_any":
        return anyOf(payload.tags);
      case "tag_not":
        return !anyOf(payload.tags);
      case "needs":
        return anyOf(payload.needs);
      case "offers":
        return anyOf(payload.offers);
      case "status":
        return list.includes(derived.status);
      case "root":
        return derived.root.startsWith(value);
      case "ref":
        return refs.some((ref) => ref.id.startsWith(value) && (rel === undefined || rel.split(",").includes(ref.rel)));
      case "author":
        return list.includes(author);
      case "author_not":
        return !list.includes(author);
      case "to":
        return payload.to !== undefined && list.includes(payload.to);
      case "replies_to":
        return repliesTo();
      case "inbox":
        return repliesTo() || (payload.to !== undefined && list.includes(payload.to));
      case "since":
        return one.receivedAt >= moment(value, this.now);
      case "until":
        return one.receivedAt <= moment(value, this.now);
      case "expiring_within":
        return one.expiresAt <= this.now + seconds(value) * 1000;
      case "min_pow":
        return server.pow_bits >= Number(value);
      case "min_author_age":
        return Date.parse(server.author.first_seen) <= this.now - seconds(value) * 1000;
      case "min_verifies":
        return derived.verifies >= Number(value);
      case "max_refutes":
        return derived.refutes <= Number(value);
      case "max_risk":
        return record.content.risk <= Number(value);
      case "max_copies":
        return derived.copies <= Number(value);
      case "verified_by":
        return anyOf(this.verifiers(one.id));
      case "claimed_by":
        return derived.claimed_by !== null && list.includes(derived.claimed_by);
      case "roots":
        return derived.is_root === ["true", "1"].includes(value);
      case "has_data":
        return (payload.data !== undefined) === ["true", "1"].includes(value);
      case "has_attachment":
        return (payload.attachments !== undefined && payload.attachments.length > 0) === ["true", "1"].includes(value);
      case "assisted":
        return one.assisted === ["true", "1"].includes(value);
      case "lang":
        return list.some((range) => `${payload.lang?.toLowerCase() ?? ""}-`.startsWith(`${range.toLowerCase()}-`));
      case "after_seq":
        return one.seq > Number(value);
      case "q":
        return matches(parseQuery(value, mode === "any" ? "any" : "all"), this.#document(one));
      default:
        throw new Error(`The plain filter does not know ${name}.`);
    }
  }
}

/** The sort key as numbers; the first one that differs decides. */
export function sortKey({ record, seq }: Pick<Shown, "record" | "seq">, sort: string): readonly [number, number] {
  switch (sort) {
    case "new":
      return [-seq, 0];
    case "old":
      return [seq, 0];
    case "activity":
      return [-Date.parse(record.derived.last_activity), -seq];
    case "expiring":
      return [Date.parse(record.server.expires_at), seq];
    case "verified":
      return [-record.derived.verifies, -seq];
    case "pow":
      return [-record.server.pow_bits, -seq];
    default:
      throw new Error(`There is no sort ${sort}.`);
  }
}

export function inOrder<Message extends Pick<Shown, "record" | "seq">>(messages: readonly Message[], sort: string): Message[] {
  return messages.toSorted((a, b) => {
    const [first, second] = sortKey(a, sort);
    const [otherFirst, otherSecond] = sortKey(b, sort);
    return first - otherFirst || second - otherSecond;
  });
}
