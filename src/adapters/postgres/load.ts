// Fetches what a batch has asked for and does not know yet: one question for each kind of row, all put together.
import { ADOPTED_REPLIES, type Label } from "../../core/message/standing.ts";
import type { Ref } from "../../core/protocol/payload.ts";
import { opsOf } from "../sql/alias-ops.ts";
import { GONE_COLUMNS, STANDING_COLUMNS, toGone, toStanding } from "../sql/rows.ts";
import type { Client, Value } from "./client.ts";
import { type BoardRow, fetchAll, grouped, want, type Want } from "./fetch.ts";
import { numberArray, textArray } from "./literals.ts";
import type { Window } from "./window.ts";
import { type AgentRow, type Answerer, keyOf, type StoredAlias, type StoredVote, type WorkingSet } from "./working-set.ts";

/** More than is adopted: one batch may end some of them before. */
const EARLY_REPLIES = ADOPTED_REPLIES + 2048;

const ALIAS_COLUMNS = `alias, agent, last_ts AS "lastTs", claimed_at AS "claimedAt", ended_at AS "endedAt", released, check_at AS "checkAt", last_ops AS "lastOps"`;
const MESSAGES = `SELECT ${STANDING_COLUMNS} FROM messages m`;

const toAlias = (row: unknown): StoredAlias => {
  const { released, lastOps, ...rest } = row as Omit<StoredAlias, "released" | "lastOps"> & { released: 0 | 1; lastOps: string };
  return { ...rest, released: released === 1, lastOps: opsOf(lastOps) };
};

/** Answers where the board stood when everything was read. */
export function loadMissing(client: Client, set: WorkingSet): Promise<BoardRow> {
  return fetchAll(client, [...byText(set), ...bySeq(set), ...inWindows(set), ...set.moderation.wants()]);
}

function byText(set: WorkingSet): readonly Want[] {
  const { messages, gone, agents, threads, replies, aliases, held, leases, arrived, withdrawing } = set;
  return [
    ...want<unknown>(messages, `${MESSAGES} WHERE m.id = ANY ($1::text[])`, textArray, (ids, rows) =>
      messages.keep(
        ids,
        rows.map(toStanding).map((row) => [row.id, row]),
      ),
    ),
    ...want<unknown>(gone, `SELECT ${GONE_COLUMNS} FROM gone WHERE id = ANY ($1::text[])`, textArray, (ids, rows) =>
      gone.keep(
        ids,
        rows.map(toGone).map((row) => [row.id, row]),
      ),
    ),
    ...want<AgentRow & { id: string }>(
      agents,
      `SELECT id, pk, first_seen AS "firstSeen", last_seen AS "lastSeen", messages FROM agents WHERE id = ANY ($1::text[])`,
      textArray,
      (ids, rows) =>
        agents.keep(
          ids,
          rows.map(({ id, ...row }) => [id, row]),
        ),
    ),
    ...want<{ root: string; messages: number; lastActivity: number }>(
      threads,
      `SELECT root, messages, last_activity AS "lastActivity" FROM threads WHERE root = ANY ($1::text[])`,
      textArray,
      (roots, rows) =>
        threads.keep(
          roots,
          rows.map(({ root, ...row }) => [root, row]),
        ),
    ),
    ...want<{ target: string; acting: number }>(
      replies,
      `SELECT t.target, c.acting, f.*
        FROM unnest($1::text[]) AS t (target) CROSS JOIN LATERAL (
          SELECT count(DISTINCT r.seq) AS acting FROM refs r JOIN messages a ON a.seq = r.seq
          WHERE r.target = t.target AND r.rel = 'reply' AND a.superseded_by IS NULL
        ) c CROSS JOIN LATERAL (
          SELECT ${STANDING_COLUMNS} FROM refs r JOIN messages m ON m.seq = r.seq
          WHERE r.target = t.target AND r.rel = 'reply' ORDER BY r.seq LIMIT ${EARLY_REPLIES}
        ) f`,
      textArray,
      (targets, rows) => {
        const standings = rows.map(({ target, acting, ...row }) => ({ target, acting, standing: toStanding(row) }));
        messages.keep(
          [],
          standings.map(({ standing }) => [standing.id, standing]),
        );
        const found = Map.groupBy(standings, ({ target }) => target);
        replies.keep(
          targets,
          Array.from(found, ([target, early]) => {
            const acting = new Set(early.flatMap(({ standing: { id, supersededBy } }) => (supersededBy === null ? [id] : [])));
            return [target, { first: early.map(({ standing }) => standing.id), beyond: (early[0]?.acting ?? 0) - acting.size }];
          }),
        );
      },
    ),
    ...want<unknown>(aliases, `SELECT ${ALIAS_COLUMNS} FROM aliases WHERE alias = ANY ($1::text[])`, textArray, (names, rows) =>
      aliases.keep(
        names,
        rows.map(toAlias).map((row) => [row.alias, row]),
      ),
    ),
    ...want<unknown>(
      held,
      `SELECT ${ALIAS_COLUMNS} FROM aliases WHERE agent = ANY ($1::text[]) AND ended_at IS NULL`,
      textArray,
      (names, rows) => {
        const found = rows.map(toAlias);
        aliases.keep(
          [],
          found.map((row) => [row.alias, row]),
        );
        held.keep(
          names,
          grouped(
            found,
            (row) => row.agent,
            (row) => row.alias,
          ),
        );
      },
    ),
    ...want<unknown>(leases, `${MESSAGES} WHERE m.claimed_by = ANY ($1::text[])`, textArray, (names, rows) => {
      const found = rows.map(toStanding);
      messages.keep(
        [],
        found.map((row) => [row.id, row]),
      );
      leases.keep(
        names,
        grouped(
          found,
          (row) => row.claimedBy ?? "",
          (row) => row.id,
        ),
      );
    }),
    ...want<{ key: string }>(arrived, "SELECT key FROM arrived_once WHERE key = ANY ($1::text[])", textArray, (keys, rows) =>
      arrived.keep(
        keys,
        rows.map(({ key }) => [key, true]),
      ),
    ),
    ...want<{ author: string }>(
      withdrawing,
      "SELECT author FROM withdrawals WHERE author = ANY ($1::text[])",
      textArray,
      (agentIds, rows) =>
        withdrawing.keep(
          agentIds,
          rows.map(({ author }) => [author, true]),
        ),
    ),
  ];
}

function bySeq(set: WorkingSet): readonly Want[] {
  const { votes, voters, signals, barred, answerers, refs, labels, attached } = set;
  const seqs = (keys: readonly string[]) => numberArray(keys.map(Number));
  const triples = (keys: readonly string[]) =>
    JSON.stringify(keys.map((key) => key.split(" ")).map(([target, agent, signal]) => ({ target, agent, signal })));
  type VoteRow = StoredVote & { target: number; agent: string };
  const voteKey = ({ target, agent }: VoteRow) => keyOf(target, agent);
  const voteOf = ({ seq, rel }: VoteRow): StoredVote => ({ seq, rel });
  return [
    ...want<VoteRow>(
      votes,
      `SELECT v.target, v.agent, v.seq, v.rel FROM json_to_recordset($1::text::json) AS k (target bigint, agent text)
        JOIN votes v ON v.target = k.target AND v.agent = k.agent ORDER BY v.seq`,
      triples,
      (keys, rows) => votes.keep(keys, grouped(rows, voteKey, voteOf)),
    ),
    ...want<VoteRow>(
      voters,
      "SELECT target, agent, seq, rel FROM votes WHERE target = ANY ($1::bigint[]) ORDER BY seq",
      seqs,
      (keys, rows) => {
        votes.keep([], grouped(rows, voteKey, voteOf));
        const agents = grouped(
          rows,
          ({ target }) => String(target),
          ({ agent }) => agent,
        );
        voters.keep(
          keys,
          [...agents].map(([target, all]) => [target, [...new Set(all)]]),
        );
      },
    ),
    ...want<{ target: number; agent: string; signal: string; seq: number }>(
      signals,
      `SELECT s.target, s.agent, s.signal, s.seq FROM json_to_recordset($1::text::json) AS k (target bigint, agent text, signal text)
        JOIN signals s ON s.target = k.target AND s.agent = k.agent AND s.signal = k.signal`,
      triples,
      (keys, rows) =>
        signals.keep(
          keys,
          rows.map((row) => [keyOf(row.target, row.agent, row.signal), row.seq]),
        ),
    ),
    ...want<Answerer & { target: number }>(
      answerers,
      "SELECT target, agent, seq FROM answerers WHERE target = ANY ($1::bigint[]) ORDER BY seq",
      seqs,
      (keys, rows) =>
        answerers.keep(
          keys,
          grouped(
            rows,
            ({ target }) => String(target),
            ({ agent, seq }): Answerer => ({ agent, seq }),
          ),
        ),
    ),
    ...want<Ref & { seq: number }>(
      refs,
      "SELECT seq, rel, target AS id FROM refs WHERE seq = ANY ($1::bigint[]) ORDER BY seq, position",
      seqs,
      (keys, rows) =>
        refs.keep(
          keys,
          grouped(
            rows,
            ({ seq }) => String(seq),
            ({ rel, id }): Ref => ({ rel, id }),
          ),
        ),
    ),
    ...want<{ seq: number; sha256: string }>(
      attached,
      "SELECT seq, sha256 FROM attachments WHERE seq = ANY ($1::bigint[]) ORDER BY sha256",
      seqs,
      (keys, rows) =>
        attached.keep(
          keys,
          grouped(
            rows,
            ({ seq }) => String(seq),
            ({ sha256 }) => sha256,
          ),
        ),
    ),
    ...want<Label & { seq: number }>(
      labels,
      "SELECT seq, field, label, coalesce(spelling, label) AS spelling FROM labels WHERE seq = ANY ($1::bigint[])",
      seqs,
      (keys, rows) =>
        labels.keep(
          keys,
          grouped(
            rows,
            ({ seq }) => String(seq),
            ({ field, label, spelling }): Label => ({ field, label, spelling }),
          ),
        ),
    ),
    ...want<{ target: number; agent: string; until: number }>(
      barred,
      `SELECT b.target, b.agent, b.until FROM json_to_recordset($1::text::json) AS k (target bigint, agent text)
        JOIN barred b ON b.target = k.target AND b.agent = k.agent`,
      triples,
      (keys, rows) =>
        barred.keep(
          keys,
          rows.map(({ target, agent, until }) => [keyOf(target, agent), until]),
        ),
    ),
  ];
}

function inWindows(set: WorkingSet): readonly Want[] {
  const { messages, aliases, now } = set;
  const message = (window: Window<ReturnType<typeof toStanding>>, rest: string, values: readonly Value[]): readonly Want[] => {
    const { wanted } = window;
    if (wanted === 0) return [];
    const keep = (found: readonly unknown[]): void => {
      const rows = found.map(toStanding);
      messages.keep(
        [],
        rows.map((row) => [row.id, row]),
      );
      window.keep(rows, wanted);
    };
    return [{ sql: `${MESSAGES} ${rest} LIMIT $${values.length + 1}`, values: [...values, wanted], keep }];
  };
  const dueAliases = (): readonly Want[] => {
    const { wanted } = set.dueAliases;
    if (wanted === 0) return [];
    const keep = (found: readonly unknown[]): void => {
      const rows = found.map(toAlias);
      aliases.keep(
        [],
        rows.map((row) => [row.alias, row]),
      );
      set.dueAliases.keep(rows, wanted);
    };
    const sql = `SELECT ${ALIAS_COLUMNS} FROM aliases WHERE check_at <= $1 ORDER BY check_at, alias LIMIT $2`;
    return [{ sql, values: [now, wanted], keep }];
  };
  // Whatever is stored came before the message that withdraws it.
  const withdrawn = [...set.withdrawn].flatMap(([author, window]) =>
    message(window, "WHERE m.author = $1 AND m.expires_at > $2 ORDER BY m.seq", [author, now]),
  );
  return [
    ...message(set.due, "WHERE m.expires_at <= $1 ORDER BY m.expires_at, m.seq", [now]),
    ...message(set.endedLeases, "WHERE m.lease_until <= $1 ORDER BY m.lease_until, m.seq", [now]),
    ...dueAliases(),
    ...withdrawn,
  ];
}
