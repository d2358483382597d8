// Renders records as JSON text from templates: constant parts are rendered once, changing parts are filled in.
import { utf8Length } from "../protocol/encoding.ts";
import { iso } from "../protocol/time.ts";
import { type Include, INCLUDES, type MessageRecord, type Recordable, recordOf } from "./record.ts";

/**
 * The parts of a record that change while the message does not: those that depend on the clock, its author and its thread; in the order
 * of the record.
 */
const HOLES = ["expires_in_s", "author_messages", "thread_messages", "last_activity"] as const;

/** Templates of longer payloads are not cached, because a page of them would take more memory than all others. */
const MAX_CACHED_CHARS = 16 * 1024;

/** A record as JSON, and its length in bytes. */
export interface RecordJson {
  readonly text: string;
  readonly bytes: number;
}

/**
 * The template of a record and how it was filled last: most records are read again before anything changes. One object holds all of it,
 * because a page reads many of them, and following references to memory that was not read lately is most of its cost.
 */
interface Rendered extends RecordJson {
  /** The include, and what else the template depends on. */
  readonly key: number;
  /** What became of the author's key. */
  readonly line: string | null;
  /** Between the holes, which are in the order of the record. */
  readonly parts: readonly string[];
  /** How many more bytes than characters the parts have; what fills the holes is ASCII. */
  readonly moreBytes: number;
  /** Another template of the same record. */
  readonly other: Rendered | undefined;
  seconds: number;
  authorMessages: number;
  authorVerified: number | undefined;
  threadMessages: number;
  lastActivity: number;
  text: string;
  bytes: number;
}

export type RecordText = (stored: Recordable, include: ReadonlySet<Include>, now: number) => RecordJson;

/** `mark` is a secret of this process. No message can contain it, so all placeholders are our own. */
export function recordText(baseUrl: string, mark: string): RecordText {
  const cache = new WeakMap<Recordable["state"], Rendered>();
  const marks = HOLES.map((_, i) => `"${mark}${i}"`);

  function renderedOf(stored: Recordable, include: ReadonlySet<Include>, now: number): Rendered {
    const { state } = stored;
    // When a lease ends, status and claim change with the clock, so there is one template for before and one for after.
    const held = state.leaseUntil !== null && state.leaseUntil > now;
    // There is also one template for before and one for after the addressee has read the message.
    const key = includeKey(include) + (held ? 1 << INCLUDES.length : 0) + ((stored.readAt ?? null) === null ? 0 : 2 << INCLUDES.length);
    const line = stored.author.line ?? null;
    const cached = cache.get(state);
    let known = cached;
    while (known !== undefined && known.key !== key) known = known.other;
    if (known?.line === line) return known;
    const parts = partsOf(recordOf(stored, include, now, baseUrl));
    const moreBytes = parts.reduce((sum, part) => sum + utf8Length(part) - part.length, 0);
    // If the line has changed, no template is valid any more.
    const other = known === undefined ? cached : undefined;
    const unfilled = { seconds: -1, authorMessages: 0, authorVerified: undefined, threadMessages: 0, lastActivity: 0, text: "", bytes: 0 };
    const rendered = { key, line, parts, moreBytes, other, ...unfilled };
    cache.set(state, rendered);
    return rendered;
  }

  function partsOf(record: MessageRecord): readonly string[] {
    const hole = (name: (typeof HOLES)[number]): never => `${mark}${HOLES.indexOf(name)}` as never;
    record.server.expires_in_s = hole("expires_in_s");
    record.server.author.messages = hole("author_messages");
    // Filled in after the number of messages, if it is known.
    delete record.server.author.verified;
    record.derived.thread_messages = hole("thread_messages");
    record.derived.last_activity = hole("last_activity");
    return splitAt(JSON.stringify(record), marks);
  }

  return (stored, include, now) => {
    const { state, author, thread } = stored;
    if (stored.raw.payload.length > MAX_CACHED_CHARS && isLong(include)) {
      const text = JSON.stringify(recordOf(stored, include, now, baseUrl));
      return { text, bytes: utf8Length(text) };
    }
    const rendered = renderedOf(stored, include, now);
    const seconds = Math.max(0, Math.floor((state.expiresAt - now) / 1000));
    const lastActivity = Math.max(thread.lastActivity, state.receivedAt);
    if (
      rendered.seconds === seconds &&
      rendered.authorMessages === author.messages &&
      rendered.authorVerified === author.verified &&
      rendered.threadMessages === thread.messages &&
      rendered.lastActivity === lastActivity
    )
      return rendered;
    const [start, afterSeconds, afterAuthor, afterThread, end] = rendered.parts;
    const verified = author.verified === undefined ? "" : `,"verified":${author.verified}`;
    rendered.text = `${start}${seconds}${afterSeconds}${author.messages}${verified}${afterAuthor}${thread.messages}${afterThread}"${iso(lastActivity)}"${end}`;
    rendered.bytes = rendered.text.length + rendered.moreBytes;
    rendered.seconds = seconds;
    rendered.authorMessages = author.messages;
    rendered.authorVerified = author.verified;
    rendered.threadMessages = thread.messages;
    rendered.lastActivity = lastActivity;
    return rendered;
  };
}

const isLong = (include: ReadonlySet<Include>): boolean => include.has("body") || include.has("data") || include.has("raw");

/** The parts of the text before, between and after the marks; the text contains each mark once. */
function splitAt(text: string, marks: readonly string[]): readonly string[] {
  const pieces: string[] = [];
  let from = 0;
  for (const mark of marks) {
    const at = text.indexOf(mark, from);
    if (at < 0) throw new Error("A record has lost one of its marks.");
    pieces.push(text.slice(from, at));
    from = at + mark.length;
  }
  return [...pieces, text.slice(from)];
}

/** The last time at which the record of `now` is still valid, if only time passes. */
export function steadyUntil({ expiresAt, leaseUntil }: Recordable["state"], now: number): number {
  const second = expiresAt - Math.max(0, Math.floor((expiresAt - now) / 1000)) * 1000;
  return leaseUntil !== null && leaseUntil > now ? Math.min(second, leaseUntil - 1) : second;
}

/** One number for a set of includes. */
export function includeKey(include: ReadonlySet<Include>): number {
  let key = 0;
  for (const name of include) key |= 1 << INCLUDES.indexOf(name);
  return key;
}
