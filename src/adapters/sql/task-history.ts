// The course of work: when it was claimed, answered and done; which agents have the skills that are needed; how long agents take.
import type { AnswerTime, ClaimedWork, NeedSupply, WorkCourse } from "../../ports/stats.ts";
import type { ListReads } from "../../ports/store.ts";
import { type Dialect, spelled, type SqlRows } from "./dialect.ts";
import { fewAtATime } from "./short-statements.ts";

const WORK_KINDS = ["task", "subtask", "question"] as const;
const firstOf = (rel: string): string =>
  `(SELECT min(c.received_at) FROM refs r JOIN messages c ON c.seq = r.seq WHERE r.target = m.id AND r.rel = '${rel}')`;

/** The newest work of one kind, found by the index of that order. */
const courses = (kind: string): string => `SELECT m.received_at AS "askedAt", m.status, m.answers_verified AS verified,
    ${firstOf("claims")} AS "claimedAt", ${firstOf("answers")} AS "answeredAt",
    (SELECT min(c.received_at) FROM signals s JOIN messages c ON c.seq = s.seq
      WHERE s.target = m.seq AND s.agent = coalesce(m.principal, m.author) AND s.signal = 'resolved') AS "doneAt"
  FROM (SELECT * FROM messages WHERE kind = '${kind}' ORDER BY seq DESC LIMIT $1) m WHERE m.expires_at > $2`;

interface CourseRow extends Omit<WorkCourse, "running" | "confirmed"> {
  readonly status: string;
  readonly verified: number;
}

/** Counting stops at this number, and looks at so many of the newest messages. */
const COUNTED = 1000;
const NEEDS_SEEN = 5000;
const NEEDS_PER_READ = 4;

const SUPPLY = spelled(
  ({ each }) => `SELECT g.value AS need,
    (SELECT count(*) FROM (SELECT 1 FROM (
        SELECT seq FROM labels WHERE field = 'need' AND label = g.value ORDER BY seq DESC LIMIT ${NEEDS_SEEN}) l JOIN messages m ON m.seq = l.seq
      WHERE m.status = 'open' AND m.kind IN (${WORK_KINDS.map((kind) => `'${kind}'`).join(", ")}) AND m.expires_at > $2 LIMIT ${COUNTED}) of_open) AS open,
    (SELECT count(*) FROM (SELECT 1 FROM agent_tallies t WHERE t.field = 'offer' AND t.label = g.value LIMIT ${COUNTED}) of_offers) AS offering
  FROM ${each("$1", "text", "g")}`,
);

/** An agent is judged by the newest of its messages. Databases keep the order of a CROSS JOIN: first these, then what they are. */
const JUDGED_BY = 1000;
const AGENTS_PER_READ = 8;
const newest = ({ each, lateral }: Dialect): string =>
  `${each("$1", "text", "k")} CROSS JOIN
    ${lateral(`SELECT seq AS value FROM messages WHERE author = k.value ORDER BY seq DESC LIMIT ${JUDGED_BY}`, "n")} CROSS JOIN messages m`;

const ANSWERED = spelled(
  (dialect) => `SELECT m.author AS agent, m.received_at - t.received_at AS took
    FROM ${newest(dialect)} JOIN refs r ON r.seq = m.seq AND r.rel = 'answers' JOIN messages t ON t.id = r.target
    WHERE m.seq = n.value AND m.kind IN ('answer', 'result') LIMIT $2`,
);

const CLAIMED = spelled(
  (dialect) => `SELECT DISTINCT m.author AS agent, t.seq, CASE WHEN EXISTS (SELECT 1 FROM refs a JOIN messages b ON b.seq = a.seq
      WHERE a.target = t.id AND a.rel = 'answers' AND coalesce(b.principal, b.author) = coalesce(m.principal, m.author)) THEN 1 ELSE 0 END AS delivered
    FROM ${newest(dialect)} JOIN refs r ON r.seq = m.seq AND r.rel = 'claims' JOIN messages t ON t.id = r.target
    WHERE m.seq = n.value AND m.kind = 'claim' LIMIT $2`,
);

type WorkReads = Pick<ListReads, "workCourses" | "needSupply" | "answerTimes" | "claimedWork">;

export const workReads = (rows: SqlRows): WorkReads => ({
  async workCourses(limit, now) {
    const all: WorkCourse[] = [];
    for (const kind of WORK_KINDS)
      for (const { status, verified, ...times } of await rows.all<CourseRow>(courses(kind), [limit, now]))
        all.push({ ...times, running: status === "claimed", confirmed: verified > 0 });
    return all;
  },
  needSupply: (needs, now) =>
    fewAtATime(needs, NEEDS_PER_READ, (some) => rows.all<NeedSupply>(SUPPLY(rows), [rows.dialect.list(some), now])),
  answerTimes: (agents, limit) =>
    fewAtATime(agents, AGENTS_PER_READ, (some) => rows.all<AnswerTime>(ANSWERED(rows), [rows.dialect.list(some), limit])),
  claimedWork: (agents, limit) =>
    fewAtATime(agents, AGENTS_PER_READ, (some) => rows.all<ClaimedWork>(CLAIMED(rows), [rows.dialect.list(some), limit])),
});
