// Threads: narrow rows by root, the refs between messages, and their neighbours.
import { REL_NAMES, RELS } from "../../core/protocol/vocabulary.ts";
import type { ThreadDeed, ThreadPart } from "../../core/view/thread-summary.ts";
import type { AnswerVotes, Branch, Refutation, StoredRef, ThreadExtent, ThreadReads } from "../../ports/message-threads.ts";
import type { ListReads } from "../../ports/store.ts";
import { principalOf } from "./key-rows.ts";
import { first, fromJson, spelled, type SqlRows } from "./dialect.ts";
import { fewAtATime, firstFitting } from "./short-statements.ts";

const JOINING = REL_NAMES.filter((rel) => RELS[rel].thread)
  .map((rel) => `'${rel}'`)
  .join(", ");

// A unary plus keeps the planner on the index that gives the order.
const EXTENT = spelled(
  ({ thread }) =>
    `SELECT coalesce((SELECT messages FROM threads WHERE ${thread.key} = ${thread.of("$1")}), 0) AS messages,
    coalesce((SELECT max(seq) FROM messages WHERE ${thread.ofMessage} = ${thread.of("$1")}), 0) AS "lastSeq"`,
);

const BRANCHES = spelled(
  ({ thread }) =>
    `SELECT m.seq, m.author, m.expires_at AS "expiresAt",
    CASE WHEN m.id = m.root OR EXISTS (SELECT 1 FROM refs e WHERE e.target = m.id AND e.seq < m.seq) THEN 1 ELSE 0 END AS "isAwaited",
    (SELECT p.seq FROM messages p WHERE p.id = (SELECT r.target FROM refs r WHERE r.seq = m.seq AND r.rel IN (${JOINING}) ORDER BY r.position LIMIT 1)
      AND p.root = m.root AND +p.expires_at > $4) AS parent
  FROM messages m WHERE m.${thread.ofMessage} = ${thread.of("$1")} AND m.seq > $2 AND m.seq <= $3 AND +m.expires_at > $4 ORDER BY m.seq LIMIT $5`,
);

const OPEN_WORK = spelled(
  ({ thread }) =>
    `SELECT id, seq, CASE WHEN superseded_by IS NULL AND expires_at > $2 THEN 1 ELSE 0 END AS fits
    FROM messages WHERE ${thread.ofMessage} = ${thread.of("$1")} AND status = 'open' AND kind IN ('task', 'subtask', 'question') AND seq > $4
    ORDER BY seq LIMIT $3`,
);

const ANSWERS = `SELECT r.seq, CASE WHEN a.superseded_by IS NULL AND a.expires_at > $3 THEN 1 ELSE 0 END AS fits, a.id, a.verifies, a.refutes, (SELECT v.rel FROM votes v WHERE v.target = a.seq AND v.agent = ${principalOf("$2")} ORDER BY v.seq DESC LIMIT 1) AS asker
  FROM refs r JOIN messages a ON a.seq = r.seq JOIN messages t ON t.id = r.target AND t.seq < a.seq
  WHERE r.target = $1 AND r.rel = 'answers' AND r.seq > $5 ORDER BY r.seq LIMIT $4`;

const REFUTATIONS = spelled(({ each, lateral }) => {
  const newest = `SELECT m.id AS value FROM refs r JOIN messages m ON m.seq = r.seq JOIN messages a ON a.id = r.target
      JOIN votes v ON v.target = a.seq AND v.agent = coalesce(m.principal, m.author) AND v.seq = m.seq
    WHERE r.target = k.value AND r.rel = 'refutes' AND v.rel = 'refutes' AND +m.expires_at > $2
      AND NOT EXISTS (SELECT 1 FROM votes w WHERE w.target = v.target AND w.agent = v.agent AND w.seq > v.seq)
    ORDER BY r.seq DESC LIMIT 1`;
  return `SELECT k.value AS answer, n.value AS id FROM ${each("$1", "text", "k")} CROSS JOIN ${lateral(newest, "n")}`;
});

/** A task can have a hundred thousand parts: the newest of them count. */
const PARTS_READ = 500;
const TASKS_PER_READ = 32;
const partsOf = (target: string): string =>
  `(SELECT seq FROM refs WHERE target = ${target} AND rel = 'subtask_of' ORDER BY seq DESC LIMIT ${PARTS_READ}) r JOIN messages p ON p.seq = r.seq`;
/** A part that is done or ended does not block the whole work; a part that is open or claimed does. */
const DIVIDED = spelled(
  ({ each }) => `SELECT k.value AS id FROM ${each("$1", "text", "k")} WHERE EXISTS (SELECT 1 FROM ${partsOf("k.value")}
    WHERE p.kind IN ('task', 'subtask', 'question') AND p.status IN ('open', 'claimed') AND p.superseded_by IS NULL AND p.expires_at > $2)`,
);

const BARRED = `SELECT target FROM barred WHERE agent = ${principalOf("$1")} AND until > $2`;

const REFS = spelled(({ among }) => `SELECT seq, rel, target FROM refs WHERE ${among("seq", "$1", "number")} ORDER BY seq, position`);

const POINTED_TO = spelled(
  ({ among }) =>
    `SELECT DISTINCT t.seq FROM refs r CROSS JOIN messages t WHERE t.id = r.target AND ${among("r.seq", "$1", "number")}
    AND ${among("r.rel", "$3", "text")} AND +t.expires_at > $5 AND NOT (${among("t.seq", "$2", "number")}) ORDER BY t.seq LIMIT $4`,
);

/** A message may have a hundred thousand refs to it: each rel is read in order and only up to the limit. */
const POINTING = spelled(({ among, each, lateral }) => {
  const some = `SELECT r.seq AS value FROM refs r CROSS JOIN messages m WHERE m.seq = r.seq AND r.target = t.id AND r.rel = k.value
    AND NOT (${among("r.seq", "$2", "number")}) AND +m.expires_at > $5 ORDER BY r.seq LIMIT $4`;
  return `SELECT DISTINCT n.value AS seq FROM messages t CROSS JOIN ${each("$3", "text", "k")} CROSS JOIN ${lateral(some, "n")}
    WHERE ${among("t.seq", "$1", "number")} ORDER BY 1 LIMIT $4`;
});

const DEEDS = 12;
const PARTS = 48;

/** Only a few rows of each thread are read, whatever its size. */
const NEWS = spelled(({ each, json, thread }) => {
  const deeds = `SELECT m.id, m.author, m.kind, m.signal, m.received_at AS at,
      (SELECT r.rel FROM refs r WHERE r.seq = m.seq AND r.rel IN (${JOINING}) ORDER BY r.position LIMIT 1) AS rel
    FROM messages m WHERE m.${thread.ofMessage} = ${thread.of("g.value")} AND +m.expires_at > $2 ORDER BY m.seq DESC LIMIT ${DEEDS}`;
  const parts = `SELECT p.status, p.lease_until AS "leaseUntil" FROM ${partsOf("g.value")}
    WHERE p.superseded_by IS NULL AND +p.expires_at > $2 ORDER BY r.seq LIMIT ${PARTS}`;
  return `SELECT g.value AS root, ${json(["id", "author", "kind", "signal", "at", "rel"], deeds)} AS deeds,
    ${json(["status", '"leaseUntil"'], parts)} AS parts FROM ${each("$1", "text", "g")}`;
});

type WithSeq<Row> = Row & { readonly seq: number };

export const threadReads = (rows: SqlRows): ThreadReads & Pick<ListReads, "openWork" | "divided" | "barredWork"> => ({
  async threadNews(roots, now) {
    if (roots.length === 0) return [];
    const found = await rows.all<{ root: string; deeds: string | null; parts: string | null }>(NEWS(rows), [rows.dialect.list(roots), now]);
    return found.map(({ root, deeds, parts }) => ({
      root,
      deeds: (fromJson(deeds) as [string, string, string, ThreadDeed["signal"], number, ThreadDeed["rel"]][]).map(
        ([id, author, kind, signal, at, rel]) => ({ id, author, kind, signal, at, rel }),
      ),
      parts: (fromJson(parts) as [ThreadPart["status"], number | null][]).map(([status, leaseUntil]) => ({ status, leaseUntil })),
    }));
  },
  threadExtent: async (root) => (await first<ThreadExtent>(rows, EXTENT(rows), [root])) ?? { messages: 0, lastSeq: 0 },
  async branches(root, { after, upTo, limit, now }) {
    const values = [root, after, upTo, now, limit];
    const found = await rows.all<Omit<Branch, "isAwaited"> & { isAwaited: number | boolean }>(BRANCHES(rows), values);
    // In place: a thread may have a hundred thousand of them.
    for (const one of found) one.isAwaited = one.isAwaited === 1;
    return found as readonly Branch[];
  },
  async openWork(root, limit, now) {
    const found = await firstFitting<WithSeq<{ id: string }>>(limit, (last, most) =>
      rows.all(OPEN_WORK(rows), [root, now, most, last?.seq ?? 0]),
    );
    return found.map(({ id }) => id);
  },
  answersTo: (target, asker, limit, now) =>
    firstFitting<WithSeq<AnswerVotes>>(limit, (last, most) => rows.all(ANSWERS, [target, asker, now, most, last?.seq ?? 0])),
  refutationsOf: async (answers, now) =>
    answers.length === 0 ? [] : rows.all<Refutation>(REFUTATIONS(rows), [rows.dialect.list(answers), now]),
  async divided(ids, now) {
    const read = (some: readonly string[]) => rows.all<{ id: string }>(DIVIDED(rows), [rows.dialect.list(some), now]);
    return (await fewAtATime(ids, TASKS_PER_READ, read)).map(({ id }) => id);
  },
  barredWork: async (agent, now) => (await rows.all<{ target: number }>(BARRED, [agent, now])).map(({ target }) => target),
  refs: async (seqs) => rows.all<StoredRef>(REFS(rows), [rows.dialect.list(seqs)]),
  async neighbours({ of, except, rels, limit, now }) {
    const { dialect } = rows;
    const values = [dialect.list(of), dialect.list(except), dialect.list(rels), limit, now];
    const [to, from] = await Promise.all([
      rows.all<{ seq: number }>(POINTED_TO(rows), values),
      rows.all<{ seq: number }>(POINTING(rows), values),
    ]);
    const found = new Set([...to, ...from].map(({ seq }) => seq));
    return [...found].sort((a, b) => a - b).slice(0, limit);
  },
});
