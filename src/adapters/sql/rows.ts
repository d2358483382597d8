// Conversion between rows and the board's own types; the same for every SQL store, its writer and its readers.
import type { Tombstone, EndReason, SignalCounts, MessageState } from "../../core/message/message-state.ts";

type Flag = 0 | 1;
type Stored = {
  readonly [Name in keyof Omit<MessageState, "repliedTo" | "signals" | "principal">]: MessageState[Name] extends boolean
    ? Flag
    : MessageState[Name];
} & {
  readonly repliedTo: string | null;
  readonly signals: string | null;
  /** Set if it is not the author. */
  readonly principal: string | null;
};

/** The columns of a message state, in the order in which stateFrom reads them. */
const STATE_FIELDS = [
  "seq",
  "id",
  "author",
  "kind",
  "root",
  "receivedAt",
  "expiresAt",
  "to",
  "bits",
  "assisted",
  "hasData",
  "hasAttachment",
  "lang",
  "repliedTo",
  "status",
  "verifies",
  "refutes",
  "replies",
  "answers",
  "answersVerified",
  "rejected",
  "signals",
  "resolvedByAuthor",
  "duplicateOf",
  "claimedBy",
  "leaseUntil",
  "claimSeq",
  "supersededBy",
  "supersededAt",
  "withdrawn",
  "signal",
  "changed",
  "risk",
  "copies",
  "spreading",
  "handled",
  "handledAt",
  "handledWhy",
  "principal",
] as const satisfies readonly (keyof MessageState)[];

type ValuesOf<Names extends readonly (keyof MessageState)[]> = { readonly [Place in keyof Names]: Stored[Names[Place]] };

export const columnOf = (field: string): string => field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
export const fieldOf = (column: string): string => column.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
export const STATE_COLUMNS = STATE_FIELDS.map((name) => `m."${columnOf(name)}" AS "${name}"`).join(", ");

/** By index, as listings read it: making an object of every row takes SQLite many times as long, and listings read thousands a second. */
export function stateFrom(row: unknown): MessageState {
  const values = row as ValuesOf<typeof STATE_FIELDS>;
  return {
    seq: values[0],
    id: values[1],
    author: values[2],
    kind: values[3],
    root: values[4],
    receivedAt: values[5],
    expiresAt: values[6],
    to: values[7],
    bits: values[8],
    assisted: values[9] === 1,
    hasData: values[10] === 1,
    hasAttachment: values[11] === 1,
    lang: values[12],
    repliedTo: values[13] === null ? [] : values[13].split(" "),
    status: values[14],
    verifies: values[15],
    refutes: values[16],
    replies: values[17],
    answers: values[18],
    answersVerified: values[19],
    rejected: values[20],
    signals: values[21] === null ? {} : (JSON.parse(values[21]) as SignalCounts),
    resolvedByAuthor: values[22] === 1,
    duplicateOf: values[23],
    claimedBy: values[24],
    leaseUntil: values[25],
    claimSeq: values[26],
    supersededBy: values[27],
    supersededAt: values[28],
    withdrawn: values[29] === 1,
    signal: values[30],
    changed: values[31],
    risk: values[32],
    copies: values[33],
    spreading: values[34] === 1,
    handled: values[35],
    handledAt: values[36],
    handledWhy: values[37],
    principal: values[38] ?? values[2],
  };
}

export const toMessageState = (row: unknown): MessageState => stateFrom(STATE_FIELDS.map((name) => (row as Stored)[name]));

export const TOMBSTONE_COLUMNS = `id, seq, author, kind, root, received_at AS "receivedAt", reason, at, statement, trace, restored, changed`;

export function toTombstone(row: unknown): Tombstone {
  const { restored, ...tombstone } = row as Omit<Tombstone, "restored"> & { reason: EndReason; restored: Flag };
  return { ...tombstone, restored: restored === 1 };
}

/** A message that is past its time but not swept yet counts as ended. */
export function expiredTombstone(state: MessageState): Tombstone {
  const { id, seq, author, kind, root, receivedAt, expiresAt, withdrawn, changed } = state;
  return {
    id,
    seq,
    author,
    kind,
    root,
    receivedAt,
    reason: withdrawn ? "retracted" : "expired",
    at: expiresAt,
    statement: null,
    trace: null,
    restored: false,
    changed,
  };
}

/** How a message joins a message of an agent. */
export const REPLY = 1;
export const VOTE = 2;

/** The agents whose inbox has a message. */
export const reached = ({ to, repliedTo }: Pick<MessageState, "to" | "repliedTo">): readonly string[] =>
  to === null || repliedTo.includes(to) ? repliedTo : [to, ...repliedTo];
