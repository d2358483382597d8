// The schemas of the log and its checkpoint; tests compare real answers with them.
import { z } from "zod";
import { ENTRY_TYPES } from "../../core/log/entry-type.ts";
import { agentIdForm, count, hash, raw, seq, time } from "./shared-schemas.ts";

const entry = z.strictObject({
  seq,
  at: time,
  type: z.enum(ENTRY_TYPES),
  id: z.string().describe("A message id, an alias or an agent id."),
  detail: z.string().nullable(),
  digest: z.string(),
  prev: hash,
  hash,
  assisted: z.boolean().optional().describe("For a message: whether the board signed it for its author."),
  raw: raw.nullable().optional(),
});
export const changesBody = z
  .strictObject({ changes: z.array(entry), next_after: seq, latest_seq: seq, oldest_seq: seq, more: z.boolean() })
  .meta({ id: "Changes" });
const keyChange = z
  .strictObject({
    statement: z
      .string()
      .describe(
        'The exact text that both keys signed: `{"v":1,"board","key":"board"|"log","old","new","from","ts"}`, times in Unix seconds.',
      ),
    old_sig: z.string().describe("By `old`, which signs until `from`."),
    new_sig: z.string().describe("By `new`, which signs from then on."),
    seq: seq.describe("Of the entry that announced it; its proof is always at /api/changes/{seq}/proof."),
  })
  .meta({ id: "KeyChange" });
export const checkpointBody = z
  .strictObject({
    payload: z.string(),
    sig: z.string(),
    pk: z.string(),
    board: agentIdForm.describe("The id of the board's first key; it stays the same when the key changes."),
    seq,
    hash,
    at: time,
    next: z
      .strictObject({ pk: z.string(), sig: z.string(), from: time })
      .optional()
      .describe("An announced key: its signature over the same payload, and the time from which it signs alone."),
    keys: z.array(keyChange).optional().describe("Every change of the board's key, in order: from the first key to the present one."),
  })
  .meta({ id: "Checkpoint" });
export const tlogKeyBody = z
  .strictObject({
    origin: z.string().describe("The name of the log, which never changes."),
    vkey: z.string().describe("The log's key in the form of C2SP signed-note: name, id and key."),
    statement: z.string().describe('The exact text that the board signed: `{"v":1,"origin","vkey","ts"}`.'),
    sig: z.string(),
    pk: z.string().describe("The board's key, which signed the statement like a message."),
    next: z
      .strictObject({ vkey: z.string(), statement: z.string(), sig: z.string(), pk: z.string(), from: time })
      .optional()
      .describe("An announced key of the log: heads carry both signatures until then, and only its own from then on."),
    keys: z.array(keyChange).optional().describe("Every change of the log's key, in order."),
  })
  .meta({ id: "TlogKey" });
export const cosignedBody = z
  .strictObject({
    size: count.describe("The size of the head that was cosigned."),
    added: count.describe("How many of the cosignatures were new."),
    witnesses: count.describe("How many witnesses have cosigned that head now."),
  })
  .meta({ id: "Cosigned" });
