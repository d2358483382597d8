// Entries of the log as readers of the stream may hear of them: the event, and the message as it was before and after.
import type { Entry } from "../../core/log/chain.ts";
import { ackIn } from "../../core/message/replay.ts";
import type { Trace } from "../../core/message/trace.ts";
import type { AckPayload } from "../../core/protocol/ack.ts";
import type { Payload } from "../../core/protocol/payload.ts";
import type { Status } from "../../core/protocol/vocabulary.ts";
import type { Subject } from "../../core/query/predicate.ts";
import { subjectOf, subjectOfTrace, subjectsAfter, subjectsBefore } from "../../core/query/subject.ts";
import { documentOf } from "../../core/search/document.ts";
import { type Searched, searched } from "../../core/search/query.ts";
import type { AckReads } from "../../ports/acks.ts";
import type { StoredMessage, Found, MessageReads } from "../../ports/store.ts";
import { nextTurn } from "../read/yield.ts";

/** What is sent; the same text for every reader, made when the first one needs it. */
export interface LiveEvent {
  readonly seq: number;
  /** Of the message it is about; of an acknowledgement, its agent. */
  readonly id: string;
  readonly name: "message" | "status" | "gone" | "ack";
  readonly json: string;
}

/** A message that something is about, as filters judge it. */
export interface Judged {
  readonly message: number;
  /** The message as it is after and as it may have been before; none where it left no trace, then it may concern anybody. */
  readonly subjects: readonly Subject[];
  /** Its words, while it has any. */
  readonly document: (() => Searched) | undefined;
}

export interface LogEvent extends Judged {
  readonly event: LiveEvent;
  /** Of an acknowledgement: the messages that it names, for those whom any of them concerns; else, who it is that has read on. */
  readonly named?: readonly Judged[];
  readonly reader?: string;
  /** From then on it is not told any more. */
  readonly until: number;
}

export interface OccurrenceParts {
  readonly store: MessageReads & Pick<AckReads, "ack">;
  readonly render: (card: StoredMessage, now: number) => string;
}

const REASONS = { expire: "expired", retract: "retracted", remove: "removed", supersede: "superseded" } as const;
const TOLD = new Set<string>(["create", "status", "ack", ...Object.keys(REASONS)]);

/** Payloads that are read in one go before everybody else has a turn. */
const STEP_CHARS = 512 * 1024;

/** Reads what the entries tell about; entries that no reader hears of are left out. */
export async function occurrences(
  entries: readonly Entry[],
  { store, render }: OccurrenceParts,
  now: number,
  withVotes: boolean,
): Promise<readonly LogEvent[]> {
  const told = entries.filter(({ type }) => TOLD.has(type));
  if (told.length === 0) return [];
  // As if no time had passed: what is due but not yet swept is still judged by what it is, not taken for a message without a trace.
  const acks = await acksIn(told, store);
  const named = [...acks.values()].flatMap((ack) => idsIn(ack));
  const found = await store.findAll([...new Set([...told.flatMap(({ type, id }) => (type === "ack" ? [] : [id])), ...named])], 0);
  const heard: LogEvent[] = [];
  let chars = 0;
  for (const entry of told) {
    const ack = acks.get(entry.seq);
    if (ack !== undefined) {
      heard.push(await acknowledged(entry, ack, { found, store, withVotes }));
      continue;
    }
    const message = found.get(entry.id);
    if (message === undefined) continue;
    chars += "card" in message ? message.card.raw.payload.length : 0;
    if (chars > STEP_CHARS) {
      chars = 0;
      await nextTurn();
    }
    const read: ReadMessage = "card" in message ? { card: withPayload(message.card) } : message;
    const subject = await subjectReader(read, store, withVotes);
    const occurrence = occurrenceOf(entry, read, subject, render, now);
    if (occurrence !== undefined) heard.push(occurrence);
  }
  return heard;
}

/** What counted of an acknowledgement. */
interface ToldAck {
  readonly seen: number;
  readonly acted: readonly string[];
  readonly declined: NonNullable<AckPayload["declined"]>;
}

const idsIn = ({ acted, declined }: ToldAck): readonly string[] => [...acted, ...declined.map(({ id }) => id)];

/** By the seq of the entry; those of which the text was erased tell nothing any more. */
async function acksIn(told: readonly Entry[], store: Pick<AckReads, "ack">): Promise<ReadonlyMap<number, ToldAck>> {
  const found = new Map<number, ToldAck>();
  for (const entry of told) {
    const ack = entry.type === "ack" ? ackIn(entry) : undefined;
    if (ack === undefined) continue;
    const { seen = 0, acted = [], declined = [] } = ack.payload;
    // Of one from long ago nobody knows what was left out; but then the messages are gone too.
    const taken = await store.ack(ack.id);
    const counts = (id: string): boolean => taken?.skipped.includes(id) !== true;
    found.set(entry.seq, {
      seen: taken?.seen ?? seen,
      acted: acted.filter(counts),
      declined: declined.filter(({ id }) => counts(id)),
    });
  }
  return found;
}

/** For those whom one of the messages concerns that it names; one that names none, for those who follow what reaches its agent. */
async function acknowledged(
  { seq, id: agent }: Entry,
  ack: ToldAck,
  read: { readonly found: ReadonlyMap<string, Found>; readonly store: MessageReads; readonly withVotes: boolean },
): Promise<LogEvent> {
  const named: Judged[] = [];
  for (const id of idsIn(ack)) {
    const message = read.found.get(id);
    if (message === undefined || !("card" in message)) continue;
    const card = withPayload(message.card);
    const subject = (await subjectReader({ card }, read.store, read.withVotes))(undefined);
    if (subject === undefined) continue;
    named.push({ message: card.standing.seq, subjects: [subject], document: once(() => searched(documentOf(card.payload))) });
  }
  const event = liveEvent(seq, agent, "ack", () => JSON.stringify({ agent, seq, ...ack }));
  const whom = named.length === 0 ? { reader: agent } : { named };
  return { event, message: 0, subjects: named.flatMap(({ subjects }) => subjects), document: undefined, until: Infinity, ...whom };
}

/** Reads the words of each, one at a time: whoever filters by text needs them, and those of a hostile text take long to find. */
export async function readWords(heard: readonly LogEvent[]): Promise<void> {
  for (const { document } of heard.flatMap((one) => one.named ?? [one])) {
    if (document === undefined) continue;
    document();
    await nextTurn();
  }
}

/**
 * Reading and telling take their time: what came and has ended meanwhile is left out, as if it had been read now. Messages are looked up
 * again where something `moved` since; without that, only the clock can have ended them.
 */
export async function dropStale(
  heard: readonly LogEvent[],
  store: MessageReads,
  now: number,
  moved: boolean,
): Promise<readonly LogEvent[]> {
  const ids = moved ? heard.flatMap(({ event: { name, id } }) => (name === "message" ? [id] : [])) : [];
  const found = ids.length === 0 ? undefined : await store.findAll(ids, 0);
  return heard.filter(({ event: { name, id, seq }, until }) => {
    if (name !== "message" || found === undefined) return until > now;
    const message = found.get(id);
    return message !== undefined && "card" in message && stands(message.card, seq, now);
  });
}

/** Whether this entry is where the message came from, and it has not ended. */
const stands = ({ standing }: StoredMessage, seq: number, now: number): boolean => standing.seq === seq && standing.expiresAt > now;

/** Payloads are large: each is parsed once for the filters, the record and the words. */
type ReadMessage = { readonly card: StoredMessage & { readonly payload: Payload } } | Exclude<Found, { readonly card: StoredMessage }>;

const withPayload = (card: StoredMessage): StoredMessage & { readonly payload: Payload } => ({
  ...card,
  payload: JSON.parse(card.raw.payload) as Payload,
});

/** The message as it is but for its status; undefined where it left no trace. */
type SubjectAt = (status: Status | undefined) => Subject | undefined;

async function subjectReader(message: ReadMessage, store: MessageReads, withVotes: boolean): Promise<SubjectAt> {
  if ("card" in message) {
    const { standing, payload, author } = message.card;
    const voters = withVotes && standing.verifies > 0 ? await store.verifiers(standing.seq) : [];
    // A vote may have been withdrawn between both readings.
    const verifiedBy = withVotes && voters.length !== standing.verifies ? undefined : voters;
    const facts = { standing, payload, authorSince: author.firstSeen, verifiedBy };
    return (status) => subjectOf(facts, status ?? standing.status);
  }
  const { gone } = message;
  if (gone.trace === null) return () => undefined;
  const trace = JSON.parse(gone.trace) as Trace;
  const since = (await store.firstSeen(gone.author)) ?? gone.receivedAt;
  return (status) => subjectOfTrace(gone, status === undefined ? trace : { ...trace, status }, since);
}

function occurrenceOf(
  entry: Entry,
  found: ReadMessage,
  at: SubjectAt,
  render: OccurrenceParts["render"],
  now: number,
): LogEvent | undefined {
  const { seq, type, id, detail } = entry;
  const card = "card" in found ? found.card : undefined;
  const document = card === undefined ? undefined : once(() => searched(documentOf(card.payload)));
  const message = "card" in found ? found.card.standing.seq : found.gone.seq;
  const occurrence = (name: LiveEvent["name"], json: () => string, subjects: readonly (Subject | undefined)[]): LogEvent => ({
    event: liveEvent(seq, id, name, json),
    message,
    subjects: subjects.filter((subject) => subject !== undefined),
    document,
    until: name === "message" && card !== undefined ? card.standing.expiresAt : Infinity,
  });
  switch (type) {
    case "create": {
      // What came and went in the meantime is not told; its end is. Nor is the first life of what was removed, given back and posted again.
      if (card === undefined || !stands(card, seq, now)) return undefined;
      const initial: Status = card.standing.duplicateOf === null ? "open" : "resolved";
      return occurrence("message", () => render(card, now), [at(initial)]);
    }
    case "status": {
      const { from, to } = JSON.parse(detail ?? "{}") as { from: Status; to: Status };
      const [before, after, present] = [at(from), at(to), at(undefined)];
      return occurrence("status", () => JSON.stringify({ id, seq, from, to }), [
        ...(after === undefined || present === undefined ? [] : subjectsAfter(after, to, present.text.status)),
        ...(before === undefined ? [] : subjectsBefore(before, from, to)),
      ]);
    }
    case "expire":
    case "retract":
    case "remove":
    case "supersede":
      return occurrence("gone", () => JSON.stringify({ id, seq, reason: REASONS[type] }), [at(undefined)]);
    case "restore":
    case "alias_claim":
    case "alias_release":
    case "alias_expire":
    case "ack":
    case "key_block":
    case "key_unblock":
    case "key_commit":
    case "key_rotate":
    case "key_revoke":
    case "key_delegate":
    case "key_undelegate":
    case "key_veto":
    case "key_effect":
      return undefined;
  }
}

function liveEvent(seq: number, id: string, name: LiveEvent["name"], make: () => string): LiveEvent {
  const json = once(make);
  return {
    seq,
    id,
    name,
    get json() {
      return json();
    },
  };
}

/** What it was made from is let go: events are kept for longer than their messages. */
function once<Value>(make: () => Value): () => Value {
  let source: (() => Value) | undefined = make;
  let made: Value | undefined;
  return () => {
    if (source !== undefined) made = source();
    source = undefined;
    return made as Value;
  };
}
