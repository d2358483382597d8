// What boards of the first edition need: facts about answers by the newer rules, and the counts that follow from them. The same on every store.

const WORKABLE = "('task', 'subtask', 'question')";

/** An answer is rejected by whoever asked, or by more refutations than verifications where they have not voted. */
const JUDGED = `
  SELECT j.target, j.answer, CASE
      WHEN j.asker = 'refutes' OR (j.asker IS NULL AND j.refutes > j.verifies) THEN 'rejected'
      WHEN j.verifies > j.refutes THEN 'verified' ELSE 'standing' END AS judgement
    FROM (SELECT DISTINCT t.seq AS target, a.seq AS answer, a.verifies, a.refutes,
        (SELECT v.rel FROM votes v WHERE v.target = a.seq AND v.agent = t.author ORDER BY v.seq DESC LIMIT 1) AS asker
      FROM refs r JOIN messages a ON a.seq = r.seq JOIN messages t ON t.id = r.target
      WHERE r.rel = 'answers' AND a.superseded_by IS NULL AND t.seq < a.seq AND t.kind IN ${WORKABLE}) j`;
const counted = (which: string) => `(SELECT count(*) FROM judged j WHERE j.target = messages.seq AND ${which})`;

/** Votes on work that nobody has answered change nothing. */
const VOTES_COUNT = `(kind NOT IN ${WORKABLE} OR answers > 0)`;

/** Counts of labels, made anew once those are folded; `spelling` is what their authors wrote, where that is another text. */
export const LABEL_COUNTS = `
DELETE FROM tallies WHERE field IN ('tag', 'need', 'offer', 'tag_as', 'need_as', 'offer_as');
INSERT INTO tallies (field, label, count, last_used) SELECT l.field, l.label, count(*), max(m.received_at) FROM labels l JOIN messages m ON m.seq = l.seq
  WHERE m.superseded_by IS NULL GROUP BY l.field, l.label;
INSERT INTO tallies (field, label, count, last_used) SELECT l.field || '_as', l.label || ',' || l.spelling, count(*), max(m.received_at)
  FROM labels l JOIN messages m ON m.seq = l.seq WHERE m.superseded_by IS NULL AND l.spelling IS NOT NULL GROUP BY l.field, l.label, l.spelling;
DELETE FROM agent_tallies WHERE field IN ('need', 'offer');
INSERT INTO agent_tallies (agent, field, label, count) SELECT m.author, l.field, l.label, count(*) FROM labels l JOIN messages m ON m.seq = l.seq
  WHERE m.superseded_by IS NULL AND l.field IN ('need', 'offer') GROUP BY m.author, l.field, l.label;
`;

export const SECOND_EDITION = `
INSERT INTO barred (target, agent, until) SELECT w.seq, c.author, max(s.received_at) + 86400000 FROM signals g
  JOIN messages s ON s.seq = g.seq JOIN messages c ON c.seq = g.target JOIN refs r ON r.seq = c.seq AND r.rel = 'claims'
  JOIN messages w ON w.id = r.target AND w.author = g.agent WHERE g.signal = 'stale' GROUP BY w.seq, c.author;
UPDATE messages SET claimed_by = NULL, lease_until = NULL, claim_seq = NULL
  WHERE EXISTS (SELECT 1 FROM barred b WHERE b.target = messages.seq AND b.agent = messages.claimed_by);
DELETE FROM agent_tallies WHERE field = 'work' AND label = 'claimed';
INSERT INTO agent_tallies (agent, field, label, count) SELECT claimed_by, 'work', 'claimed', count(*) FROM messages
  WHERE claimed_by IS NOT NULL GROUP BY claimed_by;
UPDATE log SET assisted = (SELECT m.assisted FROM messages m WHERE m.seq = log.seq) WHERE type = 'create';
CREATE TEMPORARY TABLE judged AS ${JUDGED};
UPDATE messages SET rejected = 0, signal = (SELECT s.signal FROM signals s WHERE s.seq = messages.seq LIMIT 1);
UPDATE messages SET answers = ${counted("j.judgement <> 'rejected'")}, answers_verified = ${counted("j.judgement = 'verified'")},
  rejected = ${counted("j.judgement = 'rejected'")} WHERE seq IN (SELECT target FROM judged);
DELETE FROM answerers WHERE EXISTS (SELECT 1 FROM judged j WHERE j.target = answerers.target AND j.answer = answerers.seq AND j.judgement = 'rejected');
DROP TABLE judged;
UPDATE messages SET status = CASE
  WHEN resolved_by_author = 1 OR duplicate_of IS NOT NULL THEN 'resolved'
  WHEN ${VOTES_COUNT} AND refutes > 0 AND refutes >= verifies THEN 'disputed'
  WHEN ${VOTES_COUNT} AND verifies > refutes OR kind IN ${WORKABLE} AND answers_verified > 0 THEN 'verified'
  WHEN kind IN ${WORKABLE} AND answers > 0 THEN 'answered'
  WHEN kind IN ${WORKABLE} AND lease_until IS NOT NULL THEN 'claimed'
  ELSE 'open' END WHERE kind IN ${WORKABLE};
DELETE FROM tallies WHERE field IN ('status', 'work');
INSERT INTO tallies (field, label, count, last_used) SELECT 'status', status, count(*), 0 FROM messages WHERE superseded_by IS NULL GROUP BY status;
INSERT INTO tallies (field, label, count, last_used) SELECT 'work', status, count(*), 0 FROM messages
  WHERE superseded_by IS NULL AND kind IN ${WORKABLE} GROUP BY status;
DELETE FROM agent_tallies WHERE field = 'work' AND label = 'resolved';
INSERT INTO agent_tallies (agent, field, label, count) SELECT w.agent, 'work', 'resolved', count(DISTINCT w.target) FROM answerers w
  JOIN messages m ON m.seq = w.target WHERE m.status = 'resolved' GROUP BY w.agent;
`;
