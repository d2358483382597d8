// How each kind of row that a batch may miss is fetched, by its keys; and the differences between the two databases.
import { ADOPTED_REPLIES, type Label, labelsOf } from "../../../core/message/message-state.ts";
import type { StoredInboxChange } from "../../../core/message/inbox-types.ts";
import type { Action, Notice } from "../../../core/message/moderation-state.ts";
import type { Payload, Ref } from "../../../core/protocol/payload.ts";
import { toAck } from "../acks.ts";
import type { KeyState, LineState } from "../../../core/keys/key-state.ts";
import { toAlias } from "../alias-rows.ts";
import { rowsFrom } from "../columns.ts";
import { toState } from "../key-rows.ts";
import { SELECT_SWITCHES, toSwitches } from "../moderation-rows.ts";
import { TOMBSTONES, STATE_COLUMNS, toTombstone, toMessageState } from "../rows.ts";
import type { WorkingTable } from "./table.ts";
import {
  type AgentRow,
  type Answerer,
  keyOf,
  ONE,
  type StoredVote,
  type TableName,
  type ThreadRow,
  type Withdrawal,
  type WorkingSet,
} from "./working-set.ts";

/** More replies than are adopted, because the batch may end some of them first. */
export const EARLY_REPLIES = ADOPTED_REPLIES + 2048;

export interface LoadDialect {
  /** Whether a column is one of the keys. */
  readonly among: (column: string, type: "text" | "bigint") => string;
  /** The keys as rows of a table `k` with these columns, if a key has several parts. */
  readonly keys: (columns: Readonly<Record<string, "text" | "bigint">>) => string;
  /** A limit whose value is this parameter. */
  readonly limit: (place: number) => string;
  /** Roots, with the facts about their threads. */
  readonly threads: string;
  /** For each target: the states of its first replies, with `target`. */
  readonly earlyReplies: string;
  /** Seqs, with the labels of their messages, or with the payloads that contain them. */
  readonly labels: string;
}

export interface Load {
  /** Whether keys are texts, numbers, or several columns. */
  readonly key: "text" | "bigint" | readonly string[];
  readonly sql: (dialect: LoadDialect) => string;
  readonly keep: (set: WorkingSet, keys: readonly string[], rows: readonly unknown[]) => void;
}

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the shape of the rows it asks for.
const load = <Row>(
  key: Load["key"],
  sql: Load["sql"],
  keep: (set: WorkingSet, keys: readonly string[], rows: readonly Row[]) => void,
): Load => ({ key, sql, keep: keep as Load["keep"] });

/** Each key has one row, or none. */
function one<Row, Value>(
  table: WorkingTable<Value>,
  keys: readonly string[],
  rows: readonly Row[],
  key: (row: Row) => string,
  toValue: (row: Row) => Value,
) {
  table.keep(
    keys,
    rows.map((row) => [key(row), toValue(row)]),
  );
}

/** Each key has a list of rows. */
function many<Row, Value>(
  table: WorkingTable<readonly Value[]>,
  keys: readonly string[],
  rows: readonly Row[],
  key: (row: Row) => string,
  toValue: (row: Row) => Value,
) {
  const lists = Map.groupBy(rows, key).entries();
  table.keep(
    keys,
    lists.map(([name, found]) => [name, found.map(toValue)]),
  );
}

const itself = <Row>(row: Row): Row => row;
/** The key of a row that has its parts in these fields. */
const by =
  <Field extends string>(field: Field, ...more: readonly Field[]) =>
  (row: Readonly<Record<Field, string | number>>): string =>
    more.length === 0 ? String(row[field]) : keyOf(row[field], ...more.map((other) => row[other]));
const [byId, bySeq, byAgent, byTarget] = [by("id"), by("seq"), by("agent"), by("target")];

export const ALIASES = rowsFrom("aliases");
export const MESSAGES = `SELECT ${STATE_COLUMNS} FROM messages m`;
const NOTICES = rowsFrom("notices");
const ACTIONS = rowsFrom("actions");

type OfAgent = { readonly target: number; readonly agent: string };
type SignalRow = OfAgent & { readonly signal: string; readonly seq: number };
type VoteRow = OfAgent & StoredVote;
const toVote = ({ seq, rel }: VoteRow): StoredVote => ({ seq, rel });
type LabelRow = { readonly seq: number } & (Label | { readonly payload: string });
type Acting = { readonly target: string; readonly acting: number };
type EarlyReply = { readonly target: string };

/** One row for each key; the key is a column of text. */
const byColumn = <Row extends Readonly<Record<Column, string>>, Column extends string>(
  table: (set: WorkingSet) => WorkingTable<Row>,
  select: string,
  column: Column,
  toRow = itself as (row: unknown) => Row,
): Load =>
  load(
    "text",
    ({ among }) => `${select} WHERE ${among(column, "text")}`,
    (set, keys, rows) => one(table(set), keys, rows.map(toRow), by(column), itself),
  );

export const LOADS: { readonly [Name in TableName]: Load } = {
  messages: byColumn(({ messages }) => messages, MESSAGES, "id", toMessageState),
  tombstones: byColumn(({ tombstones }) => tombstones, TOMBSTONES, "id", toTombstone),
  agents: load<AgentRow & { readonly id: string }>(
    "text",
    ({ among }) => `${rowsFrom("agents")} WHERE ${among("id", "text")}`,
    ({ agents }, ids, rows) => one(agents, ids, rows, byId, itself),
  ),
  threads: load<ThreadRow & { readonly root: string }>(
    "text",
    ({ threads }) => threads,
    ({ threads }, roots, rows) => one(threads, roots, rows, by("root"), itself),
  ),
  replies: load<Acting>(
    "text",
    ({ among }) => `SELECT r.target, count(DISTINCT r.seq) AS acting FROM refs r JOIN messages m ON m.seq = r.seq
      WHERE ${among("r.target", "text")} AND r.rel = 'reply' AND m.superseded_by IS NULL GROUP BY r.target`,
    ({ replies }, targets, rows) => one(replies, targets, rows, byTarget, ({ acting }) => acting),
  ),
  earlyReplies: load<EarlyReply>(
    "text",
    ({ earlyReplies }) => earlyReplies,
    ({ messages, earlyReplies }, targets, rows) => {
      const found = rows.map((row) => ({ target: row.target, state: toMessageState(row) }));
      const states = found.map(({ state }) => state);
      one(messages, [], states, byId, itself);
      many(earlyReplies, targets, found, byTarget, ({ state }) => state.id);
    },
  ),
  aliases: byColumn(({ aliases }) => aliases, ALIASES, "alias", toAlias),
  aliasesHeldBy: load(
    "text",
    ({ among }) => `${ALIASES} WHERE ${among("agent", "text")} AND ended_at IS NULL`,
    ({ aliases, aliasesHeldBy }, agents, rows) => {
      const found = rows.map(toAlias);
      one(aliases, [], found, by("alias"), itself);
      many(aliasesHeldBy, agents, found, byAgent, by("alias"));
    },
  ),
  leasesHeldBy: load(
    "text",
    ({ among }) => `${MESSAGES} WHERE ${among("m.claimed_by", "text")}`,
    ({ messages, leasesHeldBy }, agents, rows) => {
      const found = rows.map(toMessageState);
      one(messages, [], found, byId, itself);
      many(leasesHeldBy, agents, found, ({ claimedBy }) => claimedBy ?? "", byId);
    },
  ),
  acks: byColumn(({ acks }) => acks, rowsFrom("acks"), "id", toAck),
  keys: byColumn(({ keys }) => keys, "SELECT state FROM keys", "agent", toState<KeyState>),
  lines: byColumn(({ lines }) => lines, "SELECT state FROM key_lines", "principal", toState<LineState>),
  keyOps: byColumn(({ keyOps }) => keyOps, rowsFrom("key_ops"), "id"),
  arrivedOnce: load<{ readonly key: string }>(
    "text",
    ({ among }) => `SELECT key FROM arrived_once WHERE ${among("key", "text")}`,
    ({ arrivedOnce }, keys, rows) => one(arrivedOnce, keys, rows, by("key"), () => true),
  ),
  withdrawals: load<Withdrawal>(
    "text",
    ({ among }) => `${rowsFrom("withdrawals")} WHERE ${among(`'${ONE}'`, "text")} ORDER BY seq`,
    ({ withdrawals }, keys, rows) => many(withdrawals, keys, rows, () => ONE, itself),
  ),
  votes: load<VoteRow>(
    ["target", "agent"],
    ({ keys }) =>
      `SELECT v.target, v.agent, v.seq, v.rel FROM ${keys({ target: "bigint", agent: "text" })}
        JOIN votes v ON v.target = k.target AND v.agent = k.agent ORDER BY v.seq`,
    ({ votes }, keys, rows) => many(votes, keys, rows, by("target", "agent"), toVote),
  ),
  votersOf: load<VoteRow>(
    "bigint",
    ({ among }) => `SELECT target, agent, seq, rel FROM votes WHERE ${among("target", "bigint")} ORDER BY seq`,
    ({ votes, votersOf }, keys, rows) => {
      many(votes, [], rows, by("target", "agent"), toVote);
      const agents = Map.groupBy(rows, byTarget);
      votersOf.keep(
        keys,
        [...agents].map(([target, all]) => [target, [...new Set(all.map(byAgent))]]),
      );
    },
  ),
  signals: load<SignalRow>(
    ["target", "agent", "signal"],
    ({ keys }) =>
      `SELECT s.target, s.agent, s.signal, s.seq FROM ${keys({ target: "bigint", agent: "text", signal: "text" })}
        JOIN signals s ON s.target = k.target AND s.agent = k.agent AND s.signal = k.signal`,
    ({ signals }, keys, rows) => one(signals, keys, rows, by("target", "agent", "signal"), ({ seq }) => seq),
  ),
  barred: load<OfAgent & { readonly until: number }>(
    ["target", "agent"],
    ({ keys }) =>
      `SELECT b.target, b.agent, b.until FROM ${keys({ target: "bigint", agent: "text" })}
        JOIN barred b ON b.target = k.target AND b.agent = k.agent`,
    ({ barred }, keys, rows) => one(barred, keys, rows, by("target", "agent"), ({ until }) => until),
  ),
  answerers: load<Answerer & { readonly target: number }>(
    "bigint",
    ({ among }) => `SELECT target, agent, seq FROM answerers WHERE ${among("target", "bigint")} ORDER BY seq`,
    ({ answerers }, keys, rows) => many(answerers, keys, rows, byTarget, ({ agent, seq }): Answerer => ({ agent, seq })),
  ),
  inboxItems: load<StoredInboxChange>(
    "bigint",
    ({ among }) => `${rowsFrom("inbox_changes")} WHERE ${among("target", "bigint")} ORDER BY seq, agent`,
    ({ inboxItems }, keys, rows) => many(inboxItems, keys, rows, byTarget, itself),
  ),
  refs: load<Ref & { readonly seq: number }>(
    "bigint",
    ({ among }) => `SELECT seq, rel, target AS id FROM refs WHERE ${among("seq", "bigint")} ORDER BY seq, position`,
    ({ refs }, keys, rows) => many(refs, keys, rows, bySeq, ({ rel, id }): Ref => ({ rel, id })),
  ),
  attachmentsOf: load<{ readonly seq: number; readonly sha256: string }>(
    "bigint",
    ({ among }) => `SELECT seq, sha256 FROM attachments WHERE ${among("seq", "bigint")} ORDER BY sha256`,
    ({ attachmentsOf }, keys, rows) => many(attachmentsOf, keys, rows, bySeq, ({ sha256 }) => sha256),
  ),
  blobs: load<{ readonly sha256: string; readonly until: number }>(
    "text",
    ({ among }) => `SELECT sha256, expires_at AS until FROM blobs WHERE ${among("sha256", "text")}`,
    ({ blobs }, keys, rows) => one(blobs, keys, rows, by("sha256"), ({ until }) => until),
  ),
  labels: load<LabelRow>(
    "bigint",
    ({ labels }) => labels,
    ({ labels }, keys, rows) => {
      const found = rows.flatMap((row): readonly (Label & { readonly seq: number })[] =>
        "payload" in row ? labelsOf(JSON.parse(row.payload) as Payload).map((label) => ({ seq: row.seq, ...label })) : [row],
      );
      many(labels, keys, found, bySeq, ({ field, label, spelling }): Label => ({ field, label, spelling }));
    },
  ),
  notices: byColumn(({ notices }) => notices, NOTICES, "id"),
  openNoticesOn: load<Notice>(
    "text",
    ({ among }) => `${NOTICES} WHERE ${among("target", "text")} AND state = 'received'`,
    ({ notices, openNoticesOn }, targets, rows) => {
      one(notices, [], rows, byId, itself);
      many(openNoticesOn, targets, rows, byTarget, byId);
    },
  ),
  openNoticeCounts: load<{ readonly prefix: string; readonly count: number }>(
    ["prefix"],
    ({ keys }) =>
      `SELECT k.prefix, (SELECT count(*) FROM notices n WHERE n.state = 'received' AND n.id >= k.prefix AND n.id < k.prefix || '~') AS count
        FROM ${keys({ prefix: "text" })}`,
    ({ openNoticeCounts }, prefixes, rows) => one(openNoticeCounts, prefixes, rows, by("prefix"), ({ count }) => count),
  ),
  actions: byColumn(({ actions }) => actions, ACTIONS, "id"),
  actionsInForceOn: load<Action>(
    "text",
    ({ among }) => `${ACTIONS} WHERE ${among("target", "text")} AND state = 'in_force'`,
    ({ actions, actionsInForceOn }, targets, rows) => {
      one(actions, [], rows, byId, itself);
      many(actionsInForceOn, targets, rows, byTarget, byId);
    },
  ),
  blocks: load<{ readonly what: string; readonly name: string; readonly action: string }>(
    ["what", "name"],
    ({ keys }) =>
      `SELECT b.what, b.name, b.action FROM ${keys({ what: "text", name: "text" })} JOIN blocks b ON b.what = k.what AND b.name = k.name`,
    ({ blocks }, keys, rows) => many(blocks, keys, rows, by("what", "name"), ({ action }) => action),
  ),
  switches: load(
    "text",
    ({ among }) => `${SELECT_SWITCHES} WHERE ${among(`'${ONE}'`, "text")}`,
    ({ switches }, keys, rows) => one(switches, keys, rows, () => ONE, toSwitches),
  ),
};

/** The parts of a key with several columns. */
export const keyParts = (columns: readonly string[], key: string): Readonly<Record<string, string>> => {
  const parts = key.split(" ");
  return Object.fromEntries(columns.map((column, i) => [column, parts[i] ?? ""]));
};
