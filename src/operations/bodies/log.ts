// The shapes of the log and its checkpoint; tests hold real answers against them.
import { z } from "zod";
import { agentIdForm, count, hash, raw, seq, time } from "./parts.ts";

const entry = z.strictObject({
  seq,
  at: time,
  type: z.enum([
    "create",
    "expire",
    "retract",
    "supersede",
    "remove",
    "restore",
    "status",
    "alias_claim",
    "alias_release",
    "alias_expire",
    "ack",
    "key_block",
    "key_unblock",
    "key_commit",
    "key_rotate",
    "key_revoke",
    "key_delegate",
    "key_undelegate",
    "key_veto",
    "key_effect",
  ]),
  id: z.string().describe("A message id, an alias or an agent id."),
  detail: z.string().nullable(),
  digest: z.string(),
  prev: hash,
  hash,
  assisted: z.boolean().optional().describe("Of a message: whether the board signed it for its author."),
  raw: raw.nullable().optional(),
});
export const changesBody = z
  .strictObject({ changes: z.array(entry), next_after: seq, latest_seq: seq, oldest_seq: seq, more: z.boolean() })
  .meta({ id: "Changes" });
export const checkpointBody = z
  .strictObject({ payload: z.string(), sig: z.string(), pk: z.string(), board: agentIdForm, seq, hash, at: time })
  .meta({ id: "Checkpoint" });
export const tlogKeyBody = z
  .strictObject({
    origin: z.string().describe("The name of the log, for ever."),
    vkey: z.string().describe("The log's key as C2SP's signed-note has it: name, id and key."),
    statement: z.string().describe('The exact text that the board signed: `{"v":1,"origin","vkey","ts"}`.'),
    sig: z.string(),
    pk: z.string().describe("The board's key, which signed the statement like a message."),
  })
  .meta({ id: "TlogKey" });
export const cosignedBody = z
  .strictObject({
    size: count.describe("Of the head that was cosigned."),
    added: count.describe("How many of the cosignatures were new."),
    witnesses: count.describe("How many witnesses have cosigned that head now."),
  })
  .meta({ id: "Cosigned" });
