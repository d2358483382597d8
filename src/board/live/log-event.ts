// Log entries as events of the stream: the text to send, and the message before and after.
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Entry } from "../../core/log/chain.ts";
import { madeOnce } from "../../core/made-once.ts";
import { ackIn } from "../../core/message/replay.ts";
import type { Trace } from "../../core/message/trace.ts";
import { type Outline, outlineOf, wholeOf } from "../../core/view/outline.ts";
import type { AckPayload } from "../../core/protocol/ack.ts";
import type { Status } from "../../core/protocol/vocabulary.ts";
import type { Subject } from "../../core/query/predicate.ts";
import { subjectOf, subjectOfTrace, subjectsAfter, subjectsBefore } from "../../core/query/condition-subject.ts";
import { documentOf, type WordCaches } from "../../core/search/document.ts";
import { type Searched, searched } from "../../core/search/query.ts";
import type { AckReads } from "../../ports/acks.ts";
import { BEFORE_ANY_EXPIRY, type StoredMessage, type Found, type MessageReads } from "../../ports/store.ts";

/** The text to send; the same for every reader, made when the first one needs it. */
export interface LiveEvent {
  readonly seq: number;
  /** The id of its message; for an acknowledgement, its agent. */
  readonly id: string;
  readonly name: "message" | "status" | "gone" | "ack";
  readonly json: string;
}

/** A message of an event, as filters see it. */
export interface FilteredMessage {
  readonly message: number;
  /**
   * The message after the event, and as it may have been before it. Empty if the message left no trace: then the event may concern any
   * reader.
   */
  readonly subjects: readonly Subject[];
  /** Its words, if it has any. */
  readonly document: (() => Searched) | undefined;
}

export interface LogEvent extends FilteredMessage {
  readonly event: LiveEvent;
  /**
   * For an acknowledgement: the messages that it names. The event goes to readers who follow any of them; if it names none, it goes to
   * readers who follow the inbox of `reader`.
   */
  readonly named?: readonly FilteredMessage[];
  readonly reader?: string;
  /** After this time it is not sent any more. */
  readonly until: number;
}

export interface LogEventParts {
  readonly store: MessageReads & Pick<AckReads, "ack">;
  readonly render: (stored: StoredMessage, now: number) => string;
  readonly words: WordCaches;
}

const REASONS = { expire: "expired", retract: "retracted", remove: "removed", supersede: "superseded" } as const;
const REPORTED = new Set<string>(["create", "status", "ack", ...Object.keys(REASONS)]);

/** Payloads that are read before other work gets a turn. */
const CHARS_PER_TURN = 512 * 1024;

/** Reads the messages of entries; entries that make no event are left out. */
export async function logEvents(
  entries: readonly Entry[],
  parts: LogEventParts,
  now: number,
  withVotes: boolean,
): Promise<readonly LogEvent[]> {
  const { store } = parts;
  const reported = entries.filter(({ type }) => REPORTED.has(type));
  if (reported.length === 0) return [];
  const acks = await acksIn(reported, store);
  const ids = new Set(reported.flatMap(({ type, id }) => (type === "ack" ? [] : [id])));
  const found = await store.findAll([...ids], BEFORE_ANY_EXPIRY);
  const events: LogEvent[] = [];
  let chars = 0;
  const turn = async ({ raw }: StoredMessage): Promise<void> => {
    chars += raw.payload.length;
    if (chars <= CHARS_PER_TURN) return;
    chars = 0;
    await nextTurn();
  };
  for (const entry of reported) {
    const ack = acks.get(entry.seq);
    if (ack !== undefined) {
      events.push(await acknowledged(entry, ack, parts, { turn, withVotes }));
      continue;
    }
    const message = found.get(entry.id);
    if (message === undefined) continue;
    if ("stored" in message) await turn(message.stored);
    const read: ReadMessage = "stored" in message ? { stored: parsed(message.stored) } : message;
    const subject = await subjectReader(read, store, withVotes);
    const event = eventOf(entry, read, subject, parts, now);
    if (event !== undefined) events.push(event);
  }
  return events;
}

/** The part of an acknowledgement that had an effect. */
interface AckEffect {
  readonly seen: number;
  readonly acted: readonly string[];
  readonly declined: NonNullable<AckPayload["declined"]>;
}

const idsIn = ({ acted, declined }: AckEffect): readonly string[] => [...acted, ...declined.map(({ id }) => id)];

/** By the seq of the entry; entries whose text was erased make no event. */
async function acksIn(entries: readonly Entry[], store: Pick<AckReads, "ack">): Promise<ReadonlyMap<number, AckEffect>> {
  const found = new Map<number, AckEffect>();
  for (const entry of entries) {
    const ack = entry.type === "ack" ? ackIn(entry) : undefined;
    if (ack === undefined) continue;
    const { seen = 0, acted = [], declined = [] } = ack.payload;
    // An old acknowledgement is no longer stored, so it is unknown which of its ids had no effect. By then the messages have ended too.
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

/**
 * The event of an acknowledgement: for readers who follow one of the named messages or, if it names none, for readers who follow the
 * agent's inbox.
 */
async function acknowledged(
  { seq, id: agent }: Entry,
  ack: AckEffect,
  { store, words }: LogEventParts,
  { turn, withVotes }: { readonly turn: (stored: StoredMessage) => Promise<void>; readonly withVotes: boolean },
): Promise<LogEvent> {
  const named: FilteredMessage[] = [];
  for (const { stored } of [...(await store.findAll(idsIn(ack), BEFORE_ANY_EXPIRY)).values()].filter((one) => "stored" in one)) {
    await turn(stored);
    // An outline is enough for all but the words, and those are rarely asked for.
    const subject = (await subjectReader({ stored: { ...stored, outline: outlineOf(stored) } }, store, withVotes))(undefined);
    if (subject === undefined) continue;
    named.push({ message: stored.state.seq, subjects: [subject], document: madeOnce(() => searched(documentOf(wholeOf(stored), words))) });
  }
  const event = liveEvent(seq, agent, "ack", () => JSON.stringify({ agent, seq, ...ack }));
  const whom = named.length === 0 ? { reader: agent } : { named };
  return { event, message: 0, subjects: named.flatMap(({ subjects }) => subjects), document: undefined, until: Infinity, ...whom };
}

/** Reads the words of each, one at a time: text filters need them, and finding the words of a hostile text takes long. */
export async function readWords(events: readonly LogEvent[]): Promise<void> {
  for (const { document } of events.flatMap((one) => one.named ?? [one])) {
    if (document === undefined) continue;
    document();
    await nextTurn();
  }
}

/**
 * Leaves out messages that have ended since they were read, because reading and sending take time. `moved`: something has changed since, so
 * messages are looked up again; otherwise only the clock can have ended them.
 */
export async function dropStale(
  events: readonly LogEvent[],
  store: MessageReads,
  now: number,
  moved: boolean,
): Promise<readonly LogEvent[]> {
  const ids = moved ? events.flatMap(({ event: { name, id } }) => (name === "message" ? [id] : [])) : [];
  const found = ids.length === 0 ? undefined : await store.findAll(ids, BEFORE_ANY_EXPIRY);
  return events.filter(({ event: { name, id, seq }, until }) => {
    if (name !== "message" || found === undefined) return until > now;
    const message = found.get(id);
    return message !== undefined && "stored" in message && stands(message.stored, seq, now);
  });
}

/** Whether this is the message's own entry, and it has not ended. */
const stands = ({ state }: StoredMessage, seq: number, now: number): boolean => state.seq === seq && state.expiresAt > now;

/** Payloads are large: each is parsed once for the filters, the record and the words. */
type ParsedMessage = StoredMessage & { readonly outline: Outline };
type ReadMessage = { readonly stored: ParsedMessage } | Exclude<Found, { readonly stored: StoredMessage }>;

const parsed = (stored: StoredMessage): ParsedMessage => ({ ...stored, outline: { payload: wholeOf(stored) } });

/** The message as it is except for its status; undefined if it left no trace. */
type SubjectAt = (status: Status | undefined) => Subject | undefined;

async function subjectReader(message: ReadMessage, store: MessageReads, withVotes: boolean): Promise<SubjectAt> {
  if ("stored" in message) {
    const { state, outline, author } = message.stored;
    const voters = withVotes && state.verifies > 0 ? await store.verifiers(state.seq) : [];
    // A vote may have been withdrawn between the two reads.
    const verifiedBy = withVotes && voters?.length !== state.verifies ? undefined : voters;
    const facts = { state, payload: outline.payload, authorSince: author.firstSeen, verifiedBy };
    return (status) => subjectOf(facts, status ?? state.status);
  }
  const { tombstone } = message;
  if (tombstone.trace === null) return () => undefined;
  const trace = JSON.parse(tombstone.trace) as Trace;
  const since = (await store.firstSeen(tombstone.author)) ?? tombstone.receivedAt;
  return (status) => subjectOfTrace(tombstone, status === undefined ? trace : { ...trace, status }, since);
}

function eventOf(entry: Entry, found: ReadMessage, at: SubjectAt, { render, words }: LogEventParts, now: number): LogEvent | undefined {
  const { seq, type, id, detail } = entry;
  const stored = "stored" in found ? found.stored : undefined;
  const document = stored === undefined ? undefined : madeOnce(() => searched(documentOf(stored.outline.payload, words)));
  const message = "stored" in found ? found.stored.state.seq : found.tombstone.seq;
  const logEvent = (name: LiveEvent["name"], json: () => string, subjects: readonly (Subject | undefined)[]): LogEvent => ({
    event: liveEvent(seq, id, name, json),
    message,
    subjects: subjects.filter((subject) => subject !== undefined),
    document,
    until: name === "message" && stored !== undefined ? stored.state.expiresAt : Infinity,
  });
  switch (type) {
    case "create": {
      // A message that has ended meanwhile is not sent; its end is. If a message was removed, restored and posted again, its first entry is
      // not sent either.
      if (stored === undefined || !stands(stored, seq, now)) return undefined;
      const initial: Status = stored.state.duplicateOf === null ? "open" : "resolved";
      return logEvent("message", () => render(stored, now), [at(initial)]);
    }
    case "status": {
      const { from, to } = JSON.parse(detail ?? "{}") as { from: Status; to: Status };
      const [before, after, present] = [at(from), at(to), at(undefined)];
      return logEvent("status", () => JSON.stringify({ id, seq, from, to }), [
        ...(after === undefined || present === undefined ? [] : subjectsAfter(after, to, present.text.status)),
        ...(before === undefined ? [] : subjectsBefore(before, from, to)),
      ]);
    }
    case "expire":
    case "retract":
    case "remove":
    case "supersede":
      return logEvent("gone", () => JSON.stringify({ id, seq, reason: REASONS[type] }), [at(undefined)]);
    case "restore":
    case "alias_claim":
    case "alias_release":
    case "alias_expire":
    case "ack":
    case "key_block":
    case "key_unblock":
    case "board_key":
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
  const json = madeOnce(make);
  return {
    seq,
    id,
    name,
    get json() {
      return json();
    },
  };
}
