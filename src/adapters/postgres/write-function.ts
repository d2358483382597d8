// One database function that writes all changes of a batch, completely or not at all.
import { createHash } from "node:crypto";
import { columnOf, fieldOf } from "../sql/columns.ts";
import { rowArray } from "./array-literals.ts";
import {
  ERASED_BY_SEQ,
  ERASED_BY_TARGET,
  type OwnStep,
  type OwnWrite,
  UPDATED_COLUMNS,
  type WriteStep,
  WRITE_STEPS,
  type Write,
  WRITES,
} from "../sql/batch/write-steps.ts";
import { DELETE_OVERDUE_TEXTS, type Deletion, FORGET_SILENT_AGENTS, NEXT_DUE, PRUNE, retentionTimes, TRIM } from "../sql/retention.ts";

/** The channel for new entries, which every node receives. */
export const CHANNEL = "blackboard";
/** The channel for messages between nodes. */
export const NODE_CHANNEL = "blackboard_nodes";

export const WRITTEN_TABLES: readonly string[] = [...new Set(Object.values(WRITES).map(({ table }) => table))];

/** Long texts come as JSON, where their quotes are escaped once and not twice. */
const LONG_TEXTS: ReadonlySet<string> = new Set(["contents", "blobs"]);

/** The fields of an updated message that are sent. */
const UPDATED: ReadonlySet<string> = new Set(["seq", ...UPDATED_COLUMNS.map(fieldOf)]);

/** Rows come as a list of rows of a table. The server reads it several times faster than JSON, where it looks up the keys of each row. */
function rows(step: WriteStep): string {
  const { table } = WRITES[step];
  return LONG_TEXTS.has(table) ? `json_populate_recordset(NULL::${table}, p_${step}::json)` : `unnest(p_${step}::${table}[])`;
}

/** The rows of a step, as the function takes them; `fields` are those of the columns of each table, in the database's order. */
export function rowsText(step: WriteStep, written: readonly object[], fields: ReadonlyMap<string, readonly string[]>): string {
  const { table } = WRITES[step];
  if (LONG_TEXTS.has(table))
    return JSON.stringify(written.map((row) => Object.fromEntries(Object.entries(row).map(([field, value]) => [columnOf(field), value]))));
  const all = fields.get(table) ?? [];
  return rowArray(step === "messages_updates" ? all.map((field) => (UPDATED.has(field) ? field : "")) : all, written);
}

const moved = (columns: readonly string[], from: string) => columns.map((column) => `${column} = ${from}.${column}`).join(", ");

function written(step: WriteStep, { how, table, keys, moving }: Write): string {
  const isRow = keys.map((key) => `t.${key} = r.${key}`).join(" AND ");
  const insert = `INSERT INTO ${table} AS t SELECT * FROM ${rows(step)}`;
  const onConflict = `ON CONFLICT (${keys.join(", ")}) DO UPDATE SET`;
  switch (how) {
    case "add":
      return `${insert};`;
    case "once":
      return `${insert} ON CONFLICT DO NOTHING;`;
    case "put":
      return `${insert} ${onConflict} ${moved(moving, "excluded")};`;
    case "update":
      return `UPDATE ${table} t SET ${moved(moving, "r")} FROM ${rows(step)} r WHERE ${isRow};`;
    case "drop":
      return `DELETE FROM ${table} t USING ${rows(step)} r WHERE ${isRow};`;
    case "sum":
      return `${insert} ${onConflict} ${summed(moving)};`;
    case "empty":
      return `DELETE FROM ${table} t USING ${rows(step)} r WHERE ${isRow} AND t.count = 0;`;
  }
}

const summed = (columns: readonly string[]): string =>
  columns.map((one) => (one === "count" ? "count = t.count + excluded.count" : `${one} = greatest(t.${one}, excluded.${one})`)).join(", ");

const OWN: Readonly<Record<OwnStep, string>> = {
  messages_expirations: `UPDATE messages m SET expires_at = r.at, withdrawn = 1 FROM ${rows("messages_expirations")} r
      WHERE m.author = r.author AND m.seq > r.done AND m.seq < r.seq AND m.expires_at > r.at;`,
  messages_deletes: `WITH loose AS (DELETE FROM attachments t USING ${rows("messages_deletes")} r WHERE t.seq = r.seq RETURNING t.sha256)
    SELECT array_agg(sha256) INTO detached FROM loose;
    ${["labels", "inbox", ...ERASED_BY_SEQ]
      .map((table) => `DELETE FROM ${table} t USING ${rows("messages_deletes")} r WHERE t.seq = r.seq;`)
      .join("\n    ")}
    ${ERASED_BY_TARGET.map((table) => `DELETE FROM ${table} t USING ${rows("messages_deletes")} r WHERE t.target = r.seq;`).join(
      "\n    ",
    )}`,
};

function statementOf(step: WriteStep): string {
  const write: Write | OwnWrite = WRITES[step];
  return write.how === "own" ? OWN[step as OwnStep] : written(step, write);
}

/** What the function returns, without writing, if the board is not at the version that the batch was made for. */
export const HEAD_MOVED = -1;

const deletion = ({ kind, sql }: Deletion): string => `${sql(`p_${kind}_before`)};`;

const PARAMETERS = `
  p_version bigint, p_seq bigint, p_hash text, p_frontier text, p_now bigint, p_prune_every bigint,
  ${Object.entries(retentionTimes(0))
    .map(([kind, time]) => `p_${kind}_before ${typeof time === "string" ? "text" : "bigint"}`)
    .join(", ")},
  p_node text, p_posted text,
  ${WRITE_STEPS.map((step) => `p_${step} text`).join(", ")}`;

export const PARAMETER_COUNT = PARAMETERS.split(",").length;

const BODY = `
DECLARE
  due bigint;
  detached text[];
  pruning boolean;
  young bigint;
  anchor bigint;
BEGIN
  -- Nobody else writes from here to the end of the transaction; what follows sees what was written before.
  SELECT p_now - pruned_at > p_prune_every INTO pruning FROM board WHERE one = 1 AND version = p_version FOR UPDATE;
  IF NOT FOUND THEN RETURN ${HEAD_MOVED}; END IF;
  IF pruning THEN
    ${PRUNE.map(deletion).join("\n    ")}
    young := (${TRIM.firstYoung("p_log_before")});
    anchor := (${TRIM.anchor("young", "least")});
    ${TRIM.deletions("young", "anchor", "least").join(";\n    ")};
  END IF;
  ${DELETE_OVERDUE_TEXTS.map(deletion).join("\n  ")}
  ${WRITE_STEPS.map((step) => `IF p_${step} IS NOT NULL THEN ${statementOf(step)} END IF;`).join("\n  ")}
  IF detached IS NOT NULL THEN
    DELETE FROM blobs b WHERE b.sha256 = ANY (detached) AND NOT EXISTS (SELECT 1 FROM attachments a WHERE a.sha256 = b.sha256);
  END IF;
  IF pruning THEN ${deletion(FORGET_SILENT_AGENTS)} END IF;
  due := (${NEXT_DUE});
  UPDATE board SET version = version + 1, seq = p_seq, hash = p_hash, frontier = coalesce(p_frontier, frontier), at = p_now, next_due = due,
    pruned_at = CASE WHEN pruning THEN p_now ELSE pruned_at END WHERE one = 1;
  PERFORM pg_notify('${CHANNEL}', concat_ws(' ', p_node, p_version + 1, p_seq, coalesce(due, 0), p_posted));
  RETURN due;
END `;

/** Named after a hash of its text: nodes of two releases each keep their own. */
export const WRITE_FUNCTION_NAME = `write_batch_${createHash("sha256").update(PARAMETERS).update(BODY).digest("hex").slice(0, 12)}`;

export const WRITE_FUNCTION = `
CREATE FUNCTION ${WRITE_FUNCTION_NAME} (${PARAMETERS}) RETURNS bigint LANGUAGE plpgsql AS $$ ${BODY} $$;
`;
