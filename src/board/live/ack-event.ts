// Acknowledgements as events of the stream, for readers who follow one of the messages that they name.
import type { Entry } from "../../core/log/chain.ts";
import { madeOnce } from "../../core/made-once.ts";
import { ackIn } from "../../core/message/replay.ts";
import type { AckPayload } from "../../core/protocol/ack.ts";
import { subjectOf } from "../../core/query/condition-subject.ts";
import { outlineOf } from "../../core/view/outline.ts";
import type { AckReads } from "../../ports/acks.ts";
import { BEFORE_ANY_EXPIRY, type StoredMessage, storedOf } from "../../ports/store.ts";
import { type FilteredMessage, liveEvent, type LogEvent, type LogEventParts } from "./log-event.ts";
import { NO_VOTES, type VotersOf } from "./voters.ts";

/** The part of an acknowledgement that had an effect. */
interface AckEffect {
  readonly seen: number;
  readonly acted: readonly string[];
  readonly declined: NonNullable<AckPayload["declined"]>;
}

const idsIn = ({ acted, declined }: AckEffect): readonly string[] => [...acted, ...declined.map(({ id }) => id)];

/** By the seq of the entry; entries whose text was erased make no event. `others` is called between two of them. */
export async function acksIn(
  entries: readonly Entry[],
  store: Pick<AckReads, "ack">,
  others: () => Promise<void>,
): Promise<ReadonlyMap<number, AckEffect>> {
  const found = new Map<number, AckEffect>();
  for (const entry of entries) {
    if (entry.type !== "ack") continue;
    await others();
    const ack = ackIn(entry);
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

/** Messages that acknowledgements name, as filters see them: each is read once, however many acknowledgements name it. */
export class NamedMessages {
  readonly #parts: LogEventParts;
  readonly #withVotes: boolean;
  readonly #others: () => Promise<void>;
  readonly #read = new Map<string, FilteredMessage>();
  readonly #asked = new Set<string>();

  constructor(parts: LogEventParts, withVotes: boolean, others: () => Promise<void>) {
    this.#parts = parts;
    this.#withVotes = withVotes;
    this.#others = others;
  }

  /** Those of these that have not ended. */
  async of(ids: ReadonlySet<string>): Promise<readonly FilteredMessage[]> {
    const fresh = [...ids].filter((id) => !this.#asked.has(id));
    if (fresh.length > 0) await this.#readAll(fresh);
    return [...ids].flatMap((id) => this.#read.get(id) ?? []);
  }

  async #readAll(ids: readonly string[]): Promise<void> {
    const { store, voters } = this.#parts;
    const found = storedOf((await store.findAll(ids, BEFORE_ANY_EXPIRY)).values());
    const votersOf = this.#withVotes ? await voters.of(found.map(({ state }) => state)) : NO_VOTES;
    for (const stored of found) {
      await this.#others();
      this.#read.set(stored.state.id, namedMessage(stored, votersOf));
    }
    for (const id of ids) this.#asked.add(id);
  }
}

/** Without its words: a text filter knows already whether it has matched the message. An outline is enough for the rest. */
function namedMessage(stored: StoredMessage, votersOf: VotersOf): FilteredMessage {
  const { state, author } = stored;
  const { payload } = outlineOf(stored);
  const subject = subjectOf({ state, payload, authorSince: author.firstSeen, verifiedBy: votersOf(state) }, state.status);
  return { message: state.seq, subjects: [{ ...subject, terms: madeOnce(subject.terms) }], document: undefined };
}

/**
 * The event of an acknowledgement: for readers who follow one of the named messages or, if it names none, for readers who follow the
 * agent's inbox.
 */
export async function acknowledged(entry: Entry, ack: AckEffect, messages: NamedMessages): Promise<LogEvent> {
  const { seq, id: agent } = entry;
  const named = await messages.of(new Set(idsIn(ack)));
  const event = liveEvent(entry, "ack", () => JSON.stringify({ agent, seq, ...ack }));
  const whom = named.length === 0 ? { reader: agent } : { named };
  return { event, message: 0, subjects: named.flatMap(({ subjects }) => subjects), document: undefined, until: Infinity, ...whom };
}
