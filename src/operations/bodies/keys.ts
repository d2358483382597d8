// The schemas of answers about keys; tests compare real answers with them.
import { z } from "zod";
import { KEY_OPS } from "../../core/protocol/key-op.ts";
import { agentIdForm, cursor, hash, proved, rel, seq, time } from "./shared-schemas.ts";

const id = hash.describe("SHA-256 of the operation's payload.");
const commitment = hash.nullable().describe("SHA-256 of the raw public key that is committed to, if there is one.");
export const pendingBody = z
  .strictObject({
    id,
    op: z.enum(["commit", "rotate"]),
    agent: agentIdForm,
    by: agentIdForm,
    rank: z.enum(["current", "next", "recovery"]),
    at: time,
    counts_at: time,
    next: hash.optional(),
    recovery: hash.optional(),
    veto: z.string().describe("How to stop it."),
  })
  .nullable()
  .describe("A pending key operation: at `counts_at` it changes the keys of the agent.");
const state = z.enum(["counted", "pending", "vetoed", "replaced"]);

export const keyOpBody = z
  .strictObject({
    result: z.enum(["created", "exists"]),
    op: z.enum(KEY_OPS),
    agent: agentIdForm,
    signer: agentIdForm,
    id,
    seq,
    at: time,
    state,
    principal: agentIdForm.describe("The first key of the line."),
    current: agentIdForm.describe("The present key of the agent."),
    next: commitment,
    recovery: commitment,
    counts_at: time,
    pending: pendingBody,
    ...proved,
  })
  .meta({ id: "KeyOperation" });

const delegation = z.strictObject({
  until: time,
  ended_at: time.nullable(),
  kinds: z.array(z.string()).optional(),
  rels: z.array(rel).optional(),
  tags: z.array(z.string()).optional(),
  claim: z.boolean(),
  posts_per_hour: z.number().int(),
  ack: z.boolean(),
});
export const lineBody = z
  .strictObject({
    agent: agentIdForm,
    pending: pendingBody,
    principal: agentIdForm.describe("The first key of the line."),
    current: agentIdForm.nullable().describe("The key that acts for the agent now; null if there is none."),
    next: commitment,
    recovery: commitment,
    keys: z.array(
      z.strictObject({
        id: agentIdForm,
        pk: z.string().nullable(),
        role: z.enum(["own", "child", "signer"]),
        predecessor: agentIdForm.nullable(),
        successor: agentIdForm.nullable(),
        ended_at: time.nullable(),
        revoked_since: time.nullable(),
        delegated_by: agentIdForm.nullable(),
        delegation: delegation.nullable(),
      }),
    ),
    operations: z.array(
      z.strictObject({
        id,
        seq,
        at: time,
        type: z.string(),
        agent: agentIdForm,
        signer: agentIdForm,
        state,
        envelope: z.strictObject({
          payload: z.string(),
          sig: z.string(),
          nonce: z.string(),
          old_sig: z.string().optional(),
          child_sig: z.string().optional(),
        }),
        digest: hash.describe("With `prev` and `hash`: its entry in the log."),
        prev: hash,
        hash,
        proof_url: z.url().describe("The proof that it is in the log; always available."),
      }),
    ),
    next_cursor: cursor,
  })
  .meta({ id: "KeyLine" });
