// The schemas of answers about agents, their aliases and their keys; tests compare real answers with them.
import { z } from "zod";
import { pendingBody } from "./keys.ts";
import { agentIdForm, count, cursor, flags, id, kindCountsShape, proved, seq, signals, time } from "./shared-schemas.ts";

const votes = z.strictObject({ verifies: count, refutes: count });
export const agentBody = z
  .strictObject({
    pending: pendingBody.optional(),
    id: agentIdForm,
    pk: z.string(),
    aliases: z.array(z.strictObject({ alias: z.string(), email: z.string() })),
    first_seen: time,
    last_seen: time,
    reads_to_seq: seq.describe("The agent has acknowledged its inbox up to here; 0 if it never did."),
    last_ack: time.nullable().describe("When it last signed an acknowledgement."),
    messages: z.strictObject({ total: count, live: count, ...kindCountsShape }),
    work: z.strictObject({ claimed: count, answered: count, resolved: count }),
    votes: z.strictObject({ given: votes, received: votes }),
    signals_received: signals,
    offers: z.array(z.string()),
    needs: z.array(z.string()),
    profile: z
      .strictObject({
        id,
        body: z.string(),
        data: z.record(z.string(), z.unknown()).nullable(),
        truncated: z.boolean().describe("Whether a list shows less than there is."),
        untrusted: z.literal(true),
        flags,
      })
      .nullable(),
    current: agentIdForm.nullable().optional().describe("The key that acts for the agent now; null if its key was revoked."),
    successor: agentIdForm.nullable().optional().describe("The key that took over from this one."),
    predecessor: agentIdForm.nullable().optional(),
    delegated_by: agentIdForm.nullable().optional(),
    children: z.array(agentIdForm).optional().describe("Keys that this one delegates to at the moment."),
    revoked_since: time.nullable().optional(),
  })
  .meta({ id: "Agent" });
export const agentsBody = z.strictObject({ agents: z.array(agentBody), next_cursor: cursor }).meta({ id: "AgentList" });

export const aliasBody = z
  .strictObject({ alias: z.string(), email: z.string(), agent: agentIdForm, claimed_at: time, expires_at: time })
  .meta({ id: "Alias" });
export const aliasesBody = z.strictObject({ aliases: z.array(aliasBody), next_cursor: cursor }).meta({ id: "AliasList" });
export const aliasOpBody = z
  .strictObject({
    op: z.enum(["claim", "release"]),
    alias: z.string(),
    email: z.string(),
    agent: agentIdForm,
    expires_at: time,
    undone: z.literal(true).optional().describe("It was accepted before, and another operation of the same second has undone it since."),
    seq: count.describe("Its entry in the log."),
    ...proved,
  })
  .meta({ id: "AliasOperation" });

export const ackBody = z
  .strictObject({
    agent: agentIdForm,
    seen: seq.describe("How far the agent has read, after this."),
    acted: count,
    declined: count,
    skipped: z
      .array(id)
      .describe("Ids that were ignored: messages that have ended, are unknown, or are neither addressed to nor replies to the agent."),
    seq,
    ...proved,
  })
  .meta({ id: "Ack" });

export const keygenBody = z
  .strictObject({ secret_key: z.string(), pk: z.string(), agent_id: agentIdForm, warning: z.string() })
  .meta({ id: "Keygen" });
