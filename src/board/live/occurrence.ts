// Entries of the log as readers of the stream may hear of them: the event, and the message as it was before and after.
import type { Entry } from "../../core/log/chain.ts";
import type { Trace } from "../../core/message/trace.ts";
import type { Payload } from "../../core/protocol/payload.ts";
import type { Status } from "../../core/protocol/vocabulary.ts";
import type { Subject } from "../../core/query/predicate.ts";
import { subjectOf, subjectOfTrace } from "../../core/query/subject.ts";
import { type Document, documentOf } from "../../core/search/document.ts";
import type { Card, Found, Store } from "../../ports/store.ts";

/** What is sent; the same text for every reader. */
export interface LiveEvent {
  readonly seq: number;
  readonly name: "message" | "status" | "gone";
  readonly json: string;
}

export interface Occurrence {
  readonly event: LiveEvent;
  readonly message: number;
  readonly before: Subject | undefined;
  readonly after: Subject | undefined;
  /** The message left no trace to judge it by: it may concern anybody. */
  readonly unknown: boolean;
  /** Its words, while it has any. */
  readonly document: (() => Document) | undefined;
}

export interface OccurrenceParts {
  readonly store: Store;
  readonly render: (card: Card, now: number) => string;
}

const REASONS = { expire: "expired", retract: "retracted", remove: "removed", supersede: "superseded" } as const;

/** Reads what the entries tell about; entries that no reader hears of are left out. */
export async function occurrences(
  entries: readonly Entry[],
  { store, render }: OccurrenceParts,
  now: number,
  withVotes: boolean,
): Promise<readonly Occurrence[]> {
  const found = await store.findAll(
    [
      ...new Set(
        entries.filter((entry) => entry.type in REASONS || entry.type === "create" || entry.type === "status").map((entry) => entry.id),
      ),
    ],
    now,
  );
  const heard: Occurrence[] = [];
  for (const entry of entries) {
    const message = found.get(entry.id);
    if (message === undefined) continue;
    const subject = await subjectReader(message, store, withVotes);
    const occurrence = occurrenceOf(entry, message, subject, render, now);
    if (occurrence !== undefined) heard.push(occurrence);
  }
  return heard;
}

type SubjectAt = (status: Status | undefined) => Subject | undefined;

async function subjectReader(message: Found, store: Store, withVotes: boolean): Promise<SubjectAt> {
  if ("card" in message) {
    const { standing, raw, author } = message.card;
    const verifiedBy = withVotes && standing.verifies > 0 ? await store.verifiers(standing.seq) : [];
    const facts = { standing, payload: JSON.parse(raw.payload) as Payload, authorSince: author.firstSeen, verifiedBy };
    return (status) => subjectOf(facts, status ?? standing.status);
  }
  const { gone } = message;
  if (gone.trace === null) return () => undefined;
  const trace = JSON.parse(gone.trace) as Trace;
  const since = (await store.firstSeen(gone.author)) ?? gone.receivedAt;
  return (status) => subjectOfTrace(gone, status === undefined ? trace : { ...trace, status }, since);
}

function occurrenceOf(entry: Entry, found: Found, at: SubjectAt, render: OccurrenceParts["render"], now: number): Occurrence | undefined {
  const { seq, type, id, detail } = entry;
  const card = "card" in found ? found.card : undefined;
  const payload = card?.raw.payload;
  const document = payload === undefined ? undefined : once(() => documentOf(JSON.parse(payload) as Payload));
  const message = "card" in found ? found.card.standing.seq : found.gone.seq;
  const event = (name: LiveEvent["name"], json: string): LiveEvent => ({ seq, name, json });
  switch (type) {
    case "create": {
      // What came and went in the meantime is not told; its end is.
      if (card === undefined) return undefined;
      const initial: Status = card.standing.duplicateOf === null ? "open" : "resolved";
      return { event: event("message", render(card, now)), message, before: undefined, after: at(initial), unknown: false, document };
    }
    case "status": {
      const { from, to } = JSON.parse(detail ?? "{}") as { from: Status; to: Status };
      const before = at(from);
      return {
        event: event("status", JSON.stringify({ id, seq, from, to })),
        message,
        before,
        after: at(to),
        unknown: before === undefined,
        document,
      };
    }
    case "expire":
    case "retract":
    case "remove":
    case "supersede": {
      const before = at(undefined);
      return {
        event: event("gone", JSON.stringify({ id, seq, reason: REASONS[type] })),
        message,
        before,
        after: undefined,
        unknown: before === undefined,
        document,
      };
    }
    case "restore":
    case "alias_claim":
    case "alias_release":
    case "alias_expire":
    case "key_block":
    case "key_unblock":
      return undefined;
  }
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}
