// Conversion between rows and the board's own types; the same for every SQL store, its writer and its readers.
import type { Tombstone, EndReason, SignalCounts, MessageState } from "../../core/message/message-state.ts";
import { columnsOf, fieldOf, type FieldsOf, fieldsIn, rowsFrom } from "./columns.ts";

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

type StateFields = FieldsOf<"messages">;
type ValuesOf<Fields extends readonly (keyof MessageState)[]> = { readonly [Place in keyof Fields]: Stored[Fields[Place]] };

/** The columns of the message `m`, in the order in which stateFrom reads them. */
export const STATE_COLUMNS = fieldsIn("messages", "m");
const STATE_FIELDS = columnsOf("messages").map(fieldOf) as readonly (keyof MessageState)[];

/** By index, as listings read it: making an object of every row takes SQLite many times as long, and listings read thousands a second. */
export function stateFrom(row: unknown): MessageState {
  const values = row as ValuesOf<StateFields>;
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
    risk: values[12],
    copies: values[13],
    spreading: values[14] === 1,
    lang: values[15],
    repliedTo: values[16] === null ? [] : values[16].split(" "),
    status: values[17],
    verifies: values[18],
    refutes: values[19],
    replies: values[20],
    answers: values[21],
    answersVerified: values[22],
    rejected: values[23],
    signals: values[24] === null ? {} : (JSON.parse(values[24]) as SignalCounts),
    resolvedByAuthor: values[25] === 1,
    duplicateOf: values[26],
    claimedBy: values[27],
    leaseUntil: values[28],
    claimSeq: values[29],
    supersededBy: values[30],
    supersededAt: values[31],
    withdrawn: values[32] === 1,
    changed: values[33],
    signal: values[34],
    handled: values[35],
    handledAt: values[36],
    handledWhy: values[37],
    principal: values[38] ?? values[2],
  };
}

export const toMessageState = (row: unknown): MessageState => stateFrom(STATE_FIELDS.map((name) => (row as Stored)[name]));

export const TOMBSTONES = rowsFrom("gone");

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
