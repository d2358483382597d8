// Renders records as JSON text from templates: constant parts are rendered once, changing parts are filled in.
import { iso } from "../protocol/time.ts";
import { type Include, INCLUDES, type Recordable, recordOf } from "./record.ts";

/**
 * The parts of a record that change while the message does not: those that depend on the clock, its author and its thread; in the order
 * of the record.
 */
const HOLES = ["expires_in_s", "author_messages", "thread_messages", "last_activity"] as const;

/** Templates of longer payloads are not cached, because a page of them would take more memory than all others. */
const MAX_CACHED_CHARS = 16 * 1024;

/** The last values that were filled in, and the resulting text: most records are read again before anything changes. */
interface Filled {
  readonly seconds: number;
  readonly authorMessages: number;
  readonly authorVerified: number | undefined;
  readonly threadMessages: number;
  readonly lastActivity: number;
  readonly text: string;
}

interface Template {
  /** What became of the author's key. */
  readonly line: string | null;
  /** Between the holes, which are in the order of the record. */
  readonly texts: readonly string[];
  filled: Filled | undefined;
}

export type RecordText = (stored: Recordable, include: ReadonlySet<Include>, now: number) => string;

/** `mark` is a secret of this process. No message can contain it, so all placeholders are our own. */
export function recordText(baseUrl: string, mark: string): RecordText {
  const cache = new WeakMap<Recordable["state"], Map<number, Template>>();
  const marks = HOLES.map((_, i) => `"${mark}${i}"`);

  function templateOf(stored: Recordable, include: ReadonlySet<Include>, now: number): Template {
    let templates = cache.get(stored.state);
    if (templates === undefined) cache.set(stored.state, (templates = new Map()));
    // When a lease ends, status and claim change with the clock, so there is one template for before and one for after.
    const held = stored.state.leaseUntil !== null && stored.state.leaseUntil > now;
    // There is also one template for before and one for after the addressee has read the message.
    const key = includeKey(include) + (held ? 1 << INCLUDES.length : 0) + ((stored.readAt ?? null) === null ? 0 : 2 << INCLUDES.length);
    const known = templates.get(key);
    const line = stored.author.line ?? null;
    if (known?.line === line) return known;
    const record = recordOf(stored, include, now, baseUrl);
    const hole = (name: (typeof HOLES)[number]): never => `${mark}${HOLES.indexOf(name)}` as never;
    record.server.expires_in_s = hole("expires_in_s");
    record.server.author.messages = hole("author_messages");
    // Filled in after the number of messages, if it is known.
    delete record.server.author.verified;
    record.derived.thread_messages = hole("thread_messages");
    record.derived.last_activity = hole("last_activity");
    const template = { line, texts: splitAt(JSON.stringify(record), marks), filled: undefined };
    templates.set(key, template);
    return template;
  }

  return (stored, include, now) => {
    const { state, author, thread } = stored;
    if (stored.raw.payload.length > MAX_CACHED_CHARS && isLong(include)) return JSON.stringify(recordOf(stored, include, now, baseUrl));
    const template = templateOf(stored, include, now);
    const seconds = Math.max(0, Math.floor((state.expiresAt - now) / 1000));
    const lastActivity = Math.max(thread.lastActivity, state.receivedAt);
    const { filled } = template;
    if (
      filled !== undefined &&
      filled.seconds === seconds &&
      filled.authorMessages === author.messages &&
      filled.authorVerified === author.verified &&
      filled.threadMessages === thread.messages &&
      filled.lastActivity === lastActivity
    )
      return filled.text;
    const [start, afterSeconds, afterAuthor, afterThread, end] = template.texts;
    const verified = author.verified === undefined ? "" : `,"verified":${author.verified}`;
    const text = `${start}${seconds}${afterSeconds}${author.messages}${verified}${afterAuthor}${thread.messages}${afterThread}"${iso(lastActivity)}"${end}`;
    const { messages: authorMessages, verified: authorVerified } = author;
    template.filled = { seconds, authorMessages, authorVerified, threadMessages: thread.messages, lastActivity, text };
    return text;
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
