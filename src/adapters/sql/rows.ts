// Between rows and the board's own shapes; the same for every SQL store, its writer and its readers.
import type { Gone, GoneReason, SignalCounts, Standing } from "../../core/message/standing.ts";
import type { Status } from "../../core/protocol/vocabulary.ts";

/** In the order in which standingFrom takes them. */
export const STANDING_COLUMNS = `
  m.seq, m.id, m.author, m.kind, m.root, m.received_at AS "receivedAt", m.expires_at AS "expiresAt", m."to", m.bits, m.assisted,
  m.has_data AS "hasData", m.has_attachment AS "hasAttachment", m.lang, m.replied_to AS "repliedTo",
  m.status, m.verifies, m.refutes, m.replies, m.answers, m.answers_verified AS "answersVerified", m.answers_disputed AS "answersDisputed",
  m.signals, m.resolved_by_author AS "resolvedByAuthor", m.duplicate_of AS "duplicateOf", m.claimed_by AS "claimedBy", m.lease_until AS "leaseUntil",
  m.claim_seq AS "claimSeq", m.superseded_by AS "supersededBy", m.superseded_at AS "supersededAt", m.withdrawn`;

type Flag = 0 | 1;
type Row = Omit<
  Standing,
  "assisted" | "hasData" | "hasAttachment" | "repliedTo" | "signals" | "resolvedByAuthor" | "withdrawn" | "status"
> & {
  assisted: Flag;
  hasData: Flag;
  hasAttachment: Flag;
  repliedTo: string | null;
  signals: string | null;
  resolvedByAuthor: Flag;
  withdrawn: Flag;
  status: string;
};

export function toStanding(row: unknown): Standing {
  const { assisted, hasData, hasAttachment, repliedTo, signals, resolvedByAuthor, withdrawn, status, ...rest } = row as Row;
  return {
    ...rest,
    assisted: assisted === 1,
    hasData: hasData === 1,
    hasAttachment: hasAttachment === 1,
    repliedTo: repliedTo === null ? [] : repliedTo.split(" "),
    resolvedByAuthor: resolvedByAuthor === 1,
    withdrawn: withdrawn === 1,
    status: status as Status,
    signals: signals === null ? {} : (JSON.parse(signals) as SignalCounts),
  };
}

type Values = readonly [
  seq: number,
  id: string,
  author: string,
  kind: string,
  root: string,
  receivedAt: number,
  expiresAt: number,
  to: string | null,
  bits: number,
  assisted: Flag,
  hasData: Flag,
  hasAttachment: Flag,
  lang: string | null,
  repliedTo: string | null,
  status: Status,
  verifies: number,
  refutes: number,
  replies: number,
  answers: number,
  answersVerified: number,
  answersDisputed: number,
  signals: string | null,
  resolvedByAuthor: Flag,
  duplicateOf: string | null,
  claimedBy: string | null,
  leaseUntil: number | null,
  claimSeq: number | null,
  supersededBy: string | null,
  supersededAt: number | null,
  withdrawn: Flag,
];

/** The columns as a list, which the listings read: many times as fast as an object, and they read thousands a second. */
export function standingFrom(values: unknown): Standing {
  const [
    seq,
    id,
    author,
    kind,
    root,
    receivedAt,
    expiresAt,
    to,
    bits,
    assisted,
    hasData,
    hasAttachment,
    lang,
    repliedTo,
    status,
    verifies,
    refutes,
    replies,
    answers,
    answersVerified,
    answersDisputed,
    signals,
    resolvedByAuthor,
    duplicateOf,
    claimedBy,
    leaseUntil,
    claimSeq,
    supersededBy,
    supersededAt,
    withdrawn,
  ] = values as Values;
  return {
    seq,
    id,
    author,
    kind,
    root,
    receivedAt,
    expiresAt,
    to,
    bits,
    assisted: assisted === 1,
    hasData: hasData === 1,
    hasAttachment: hasAttachment === 1,
    lang,
    repliedTo: repliedTo === null ? [] : repliedTo.split(" "),
    status,
    verifies,
    refutes,
    replies,
    answers,
    answersVerified,
    answersDisputed,
    signals: signals === null ? {} : (JSON.parse(signals) as SignalCounts),
    resolvedByAuthor: resolvedByAuthor === 1,
    duplicateOf,
    claimedBy,
    leaseUntil,
    claimSeq,
    supersededBy,
    supersededAt,
    withdrawn: withdrawn === 1,
  };
}

export const GONE_COLUMNS = `id, seq, author, kind, root, received_at AS "receivedAt", reason, at, statement, trace, restored`;

export function toGone(row: unknown): Gone {
  const { restored, ...gone } = row as Omit<Gone, "restored"> & { reason: GoneReason; restored: Flag };
  return { ...gone, restored: restored === 1 };
}

/** A message whose time is over but that the sweep has not reached yet is gone all the same. */
export function goneByTime(standing: Standing): Gone {
  const { id, seq, author, kind, root, receivedAt, expiresAt, withdrawn } = standing;
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
  };
}

/** The agents in whose inbox a message stands. */
export const reached = ({ to, repliedTo }: Pick<Standing, "to" | "repliedTo">): readonly string[] =>
  to === null || repliedTo.includes(to) ? repliedTo : [to, ...repliedTo];
