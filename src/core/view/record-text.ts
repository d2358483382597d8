// Records as JSON text without building them anew each time: what never changes is rendered once, what moves is filled in.
import { iso } from "../protocol/time.ts";
import { type Include, type Recordable, recordOf } from "./record.ts";

/** The parts of a record that move while the message itself does not: with the clock, its author and its thread. */
const HOLES = ["expires_in_s", "author_messages", "thread_messages", "last_activity"] as const;

interface Template {
  readonly texts: readonly string[];
  readonly holes: readonly (typeof HOLES)[number][];
}

export type RecordText = (card: Recordable, include: ReadonlySet<Include>, now: number) => string;

/** `mark` is a secret of this process: no message can contain it, so that the holes are where we put them. */
export function recordText(baseUrl: string, mark: string): RecordText {
  const kept = new WeakMap<Recordable["standing"], Map<string, Template>>();
  const splitter = new RegExp(`"${mark}(\\d)"`);

  function templateOf(card: Recordable, include: ReadonlySet<Include>, now: number): Template {
    const templates = kept.get(card.standing) ?? new Map<string, Template>();
    kept.set(card.standing, templates);
    const key = [...include].join();
    const known = templates.get(key);
    if (known !== undefined) return known;
    const record = recordOf(card, include, now, baseUrl);
    const hole = (name: (typeof HOLES)[number]): never => `${mark}${HOLES.indexOf(name)}` as never;
    record.server.expires_in_s = hole("expires_in_s");
    record.server.author.messages = hole("author_messages");
    record.derived.thread_messages = hole("thread_messages");
    record.derived.last_activity = hole("last_activity");
    const pieces = JSON.stringify(record).split(splitter);
    const template = {
      texts: pieces.filter((_, i) => i % 2 === 0),
      holes: pieces.filter((_, i) => i % 2 === 1).map((digit) => HOLES[Number(digit)]!),
    };
    templates.set(key, template);
    return template;
  }

  return (card, include, now) => {
    const { standing, author, thread } = card;
    // A lease moves status and claim with the clock: such a record is made anew.
    if (standing.leaseUntil !== null) return JSON.stringify(recordOf(card, include, now, baseUrl));
    const { texts, holes } = templateOf(card, include, now);
    let text = texts[0]!;
    for (const [i, name] of holes.entries()) {
      switch (name) {
        case "expires_in_s":
          text += Math.max(0, Math.floor((standing.expiresAt - now) / 1000));
          break;
        case "author_messages":
          text += author.messages;
          break;
        case "thread_messages":
          text += thread.messages;
          break;
        case "last_activity":
          text += `"${iso(Math.max(thread.lastActivity, standing.receivedAt))}"`;
          break;
      }
      text += texts[i + 1]!;
    }
    return text;
  };
}
