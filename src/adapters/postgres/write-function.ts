// Everything that a batch changes, written by one function of the database, so that it is done as a whole or not at all.
import { createHash } from "node:crypto";
import { FLOWS } from "../../core/message/standing.ts";
import { MOVING, type Part, PARTS } from "../sql/batch/changed-rows.ts";
import { silentAgents } from "../sql/silent-agents.ts";

/** What moved, heard by every node. */
export const CHANNEL = "blackboard";
/** What nodes tell each other beside the log. */
export const TALK = "blackboard_nodes";

const rows = (table: string, part: Part) => `json_populate_recordset(NULL::${table}, p_${part}::json)`;
const given = (part: Part, ...statements: string[]) =>
  `IF p_${part} IS NOT NULL THEN ${statements.map((one) => `${one};`).join(" ")} END IF;`;
const all = (table: string, part: Part, conflict = "") =>
  given(part, `INSERT INTO ${table} SELECT * FROM ${rows(table, part)} ${conflict}`);
const drop = (table: string, part: Part, keys: readonly string[]) =>
  given(part, `DELETE FROM ${table} t USING ${rows(table, part)} r WHERE ${keys.map((key) => `t.${key} = r.${key}`).join(" AND ")}`);

const BY_MINUTE = [...FLOWS, "hour"].map((field) => `'${field}'`).join(", ");

/** What the function answers, having written nothing, where the board is not at the version that the batch was made for. */
export const MOVED_ON = -1;

const PARAMETERS = `
  p_version bigint, p_seq bigint, p_hash text, p_now bigint, p_prune_every bigint,
  p_gone_before bigint, p_once_before bigint, p_texts_before bigint, p_agents_before bigint, p_minute_before text, p_node text, p_posted text,
  ${PARTS.map((part) => `p_${part} text`).join(", ")}`;

export const PARAMETER_COUNT = PARAMETERS.split(",").length;

const BODY = `
DECLARE
  due bigint;
  detached text[];
  pruning boolean;
BEGIN
  -- Nobody else writes from here to the end of the transaction; what follows sees what was written before.
  SELECT p_now - pruned_at > p_prune_every INTO pruning FROM board WHERE one = 1 AND version = p_version FOR UPDATE;
  IF NOT FOUND THEN RETURN ${MOVED_ON}; END IF;
  IF pruning THEN
    DELETE FROM gone WHERE at <= p_gone_before;
    DELETE FROM arrived_once WHERE at <= p_once_before;
    DELETE FROM tallies WHERE field IN (${BY_MINUTE}) AND label < p_minute_before;
  END IF;
  DELETE FROM blobs WHERE expires_at <= p_now;
  UPDATE notices SET explanation = '', contact = NULL WHERE closed_at <= p_texts_before AND (explanation <> '' OR contact IS NOT NULL);
  ${all("log", "log")}
  ${drop("withdrawals", "finished", ["author"])}
  ${all("withdrawals", "withdrawn", "ON CONFLICT (author) DO UPDATE SET seq = excluded.seq, done = excluded.done, at = excluded.at")}
  ${given(
    "ended",
    `UPDATE messages m SET expires_at = r.at, withdrawn = 1 FROM ${rows("withdrawals", "ended")} r
      WHERE m.author = r.author AND m.seq > r.done AND m.seq < r.seq AND m.expires_at > r.at`,
  )}
  IF p_erased IS NOT NULL THEN
    WITH loose AS (DELETE FROM attachments t USING ${rows("attachments", "erased")} r WHERE t.seq = r.seq RETURNING t.sha256)
    SELECT array_agg(sha256) INTO detached FROM loose;
    ${["contents", "refs", "labels", "inbox", "messages"]
      .map((table) => `DELETE FROM ${table} t USING ${rows("contents", "erased")} r WHERE t.seq = r.seq;`)
      .join("\n    ")}
    ${["votes", "signals", "answerers", "barred"]
      .map((table) => `DELETE FROM ${table} t USING ${rows("contents", "erased")} r WHERE t.target = r.seq;`)
      .join("\n    ")}
  END IF;
  ${given(
    "gone",
    `INSERT INTO gone SELECT * FROM ${rows("gone", "gone")} ON CONFLICT (id) DO UPDATE SET seq = excluded.seq, author = excluded.author, kind = excluded.kind,
      root = excluded.root, received_at = excluded.received_at, reason = excluded.reason, at = excluded.at,
      statement = excluded.statement, trace = excluded.trace, restored = excluded.restored`,
  )}
  ${drop("gone", "ungone", ["id"])}
  ${all("messages", "messages")}
  ${all("contents", "contents")}
  ${all("labels", "labels")}
  ${all("inbox", "inbox", "ON CONFLICT (agent, seq) DO UPDATE SET reply = excluded.reply")}
  ${all("refs", "refs")}
  ${all("attachments", "attachments", "ON CONFLICT DO NOTHING")}
  ${all("blobs", "blobs", "ON CONFLICT (sha256) DO UPDATE SET expires_at = excluded.expires_at")}
  ${drop("blobs", "dropped", ["sha256"])}
  IF detached IS NOT NULL THEN
    DELETE FROM blobs b WHERE b.sha256 = ANY (detached) AND NOT EXISTS (SELECT 1 FROM attachments a WHERE a.sha256 = b.sha256);
  END IF;
  ${given(
    "updated",
    `UPDATE messages m SET ${MOVING.map((column) => `${column} = r.${column}`).join(", ")} FROM ${rows("messages", "updated")} r WHERE m.seq = r.seq`,
  )}
  ${drop("votes", "unvoted", ["target", "agent", "seq"])}
  ${all("votes", "votes")}
  ${drop("signals", "unsignalled", ["target", "agent", "signal"])}
  ${all("signals", "signals", "ON CONFLICT (target, agent, signal) DO UPDATE SET seq = excluded.seq")}
  ${all("barred", "barred", "ON CONFLICT (target, agent) DO UPDATE SET until = excluded.until")}
  ${drop("answerers", "unanswered", ["target", "agent", "seq"])}
  ${all("answerers", "answerers")}
  ${drop("threads", "emptied", ["root"])}
  ${all("threads", "threads", "ON CONFLICT (root) DO UPDATE SET messages = excluded.messages, last_activity = excluded.last_activity")}
  ${given(
    "agents",
    `INSERT INTO agents (id, pk, first_seen, last_seen, messages) SELECT id, pk, first_seen, last_seen, messages FROM ${rows("agents", "agents")}
      ON CONFLICT (id) DO UPDATE SET last_seen = excluded.last_seen, messages = excluded.messages`,
  )}
  ${drop("aliases", "forgotten", ["alias"])}
  ${all(
    "aliases",
    "aliases",
    `ON CONFLICT (alias) DO UPDATE SET agent = excluded.agent, last_ts = excluded.last_ts, claimed_at = excluded.claimed_at,
      ended_at = excluded.ended_at, released = excluded.released, check_at = excluded.check_at, last_ops = excluded.last_ops`,
  )}
  ${all("arrived_once", "arrived")}
  ${given(
    "tallies",
    `INSERT INTO tallies AS t SELECT * FROM ${rows("tallies", "tallies")}
      ON CONFLICT (field, label) DO UPDATE SET count = t.count + excluded.count, last_used = greatest(t.last_used, excluded.last_used)`,
  )}
  ${given(
    "shrunk",
    `DELETE FROM tallies t USING ${rows("tallies", "shrunk")} r WHERE t.field = r.field AND t.label = r.label AND t.count = 0`,
  )}
  ${given(
    "agent_tallies",
    `INSERT INTO agent_tallies AS t SELECT * FROM ${rows("agent_tallies", "agent_tallies")}
      ON CONFLICT (agent, field, label) DO UPDATE SET count = t.count + excluded.count`,
  )}
  ${given(
    "agent_shrunk",
    `DELETE FROM agent_tallies t USING ${rows("agent_tallies", "agent_shrunk")} r
      WHERE t.agent = r.agent AND t.field = r.field AND t.label = r.label AND t.count = 0`,
  )}
  ${all(
    "notices",
    "notices",
    `ON CONFLICT (id) DO UPDATE SET at = excluded.at, category = excluded.category, target = excluded.target, explanation = excluded.explanation,
      contact = excluded.contact, state = excluded.state, closed_at = excluded.closed_at`,
  )}
  ${all("actions", "actions", "ON CONFLICT (id) DO UPDATE SET state = excluded.state")}
  ${drop("blocks", "unblocked", ["action"])}
  ${all("blocks", "blocks", "ON CONFLICT DO NOTHING")}
  ${all("switches", "switches", "ON CONFLICT (one) DO UPDATE SET read_only = excluded.read_only, pow_bits = excluded.pow_bits, pow_max_bits = excluded.pow_max_bits, pow_at_once = excluded.pow_at_once")}
  IF pruning THEN DELETE FROM agents WHERE id IN (${silentAgents("p_agents_before")}); END IF;
  due := least(
    (SELECT min(expires_at) FROM messages),
    (SELECT min(expires_at) FROM blobs),
    (SELECT min(check_at) FROM aliases WHERE check_at IS NOT NULL),
    (SELECT min(at) FROM withdrawals),
    (SELECT min(lease_until) FROM messages WHERE lease_until IS NOT NULL),
    (SELECT min(closed_at) + p_now - p_texts_before FROM notices WHERE closed_at IS NOT NULL AND (explanation <> '' OR contact IS NOT NULL))
  );
  UPDATE board SET version = version + 1, seq = p_seq, hash = p_hash, at = p_now, next_due = due,
    pruned_at = CASE WHEN pruning THEN p_now ELSE pruned_at END WHERE one = 1;
  PERFORM pg_notify('${CHANNEL}', concat_ws(' ', p_node, p_version + 1, p_seq, coalesce(due, 0), p_posted));
  RETURN due;
END `;

/** Named after what it does, to the letter: nodes of two releases each keep the one they know. */
export const WRITE_FUNCTION_NAME = `write_batch_${createHash("sha256").update(PARAMETERS).update(BODY).digest("hex").slice(0, 12)}`;

export const WRITE_FUNCTION = `
CREATE FUNCTION ${WRITE_FUNCTION_NAME} (${PARAMETERS}) RETURNS bigint LANGUAGE plpgsql AS $$ ${BODY} $$;
`;
