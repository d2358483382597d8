// Entries of the log as events of the stream: the text to send, and what filters see of the messages.
import type { Entry } from "../../core/log/chain.ts";
import { madeOnce } from "../../core/made-once.ts";
import type { Subject } from "../../core/query/predicate.ts";
import type { WordCaches } from "../../core/search/document.ts";
import type { Searched } from "../../core/search/query.ts";
import type { AckReads } from "../../ports/acks.ts";
import { BEFORE_ANY_EXPIRY, type MessageReads, type StoredMessage } from "../../ports/store.ts";
import type { Voters } from "./voters.ts";

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
  /** Makes its words, if they are there: of a long text that takes long, and they are large. */
  readonly document: (() => Searched) | undefined;
}

export interface LogEvent extends FilteredMessage {
  readonly event: LiveEvent;
  /**
   * For an acknowledgement: the messages that it names, without their words. The event goes to readers who follow any of them; if it names
   * none, it goes to readers who follow the inbox of `reader`.
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
  readonly voters: Pick<Voters, "of">;
}

export function liveEvent({ seq, id }: Entry, name: LiveEvent["name"], make: () => string): LiveEvent {
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
export const stands = ({ state }: StoredMessage, seq: number, now: number): boolean => state.seq === seq && state.expiresAt > now;
