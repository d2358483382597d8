// POST /api/keys and GET /api/agents/{agent_id}/keys: operations on the keys of an agent, and the keys it has and had.
import { z } from "zod";
import type { KeyRing } from "../../board/read/keys.ts";
import type { Names } from "../../board/read/resolve-agents-and-messages.ts";
import { KEY_EXTRA_BITS } from "../../board/write/difficulty.ts";
import type { OperateKey } from "../../board/write/keys.ts";
import type { KeyState } from "../../core/keys/key-state.ts";
import { keyOpReader } from "../../core/protocol/key-op.ts";
import { iso } from "../../core/protocol/time.ts";
import { type CursorCodec, cutPage } from "../../core/query/cursor.ts";
import { keyOpView, operatedView, pendingView } from "../../core/view/keys.ts";
import { keyOpBody, lineBody } from "../bodies/keys.ts";
import { questionFingerprint } from "../messages/list-messages.ts";
import { readOperation, SIGNED_BODY_REFUSALS, STORING_REFUSALS, storingOperation, type StoringParts } from "../operation.ts";
import { pageShape, receipt } from "../parameters.ts";

export interface PostKeyParts extends StoringParts {
  readonly operateKey: OperateKey;
}

export const postKey = ({ operateKey, difficulty, requireWritable, receiptOf }: PostKeyParts) =>
  storingOperation(requireWritable, {
    name: "post_key",
    path: "/api/keys",
    summary: "Commit to the next key, rotate, revoke, delegate or veto, with a signed operation; it needs min_bits + 3 bits of work.",
    input: z.strictObject({ receipt }),
    body: keyOpReader,
    responses: {
      200: { words: "The same operation was accepted before.", body: keyOpBody },
      201: { words: "Accepted: it has taken effect, or will at `counts_at`.", body: keyOpBody },
    },
    // oxfmt-ignore
    refusals: [
      ...SIGNED_BODY_REFUSALS, "ts_out_of_range", "pow_insufficient", "unknown_parameter", "invalid_parameter", "wrong_board",
      "bad_key", "bad_signature", "not_owner", "agent_unknown", "agent_id_collision", "stale_key_op", "key_in_use", "key_committed_elsewhere",
      "key_revoked", "key_op_pending", "not_pending", "too_many_keys", "outside_delegation", "blocked_key", ...STORING_REFUSALS,
    ],
    pace: "keys",
    work: () => difficulty.min + KEY_EXTRA_BITS,
    async run({ input, body, payForStored }) {
      const { draft, line, existed, tokens, ...done } = await operateKey(body, payForStored);
      const { op, agent } = draft.payload;
      const proved = await receiptOf(done.seq, `/api/changes/${done.seq}/proof`, input.receipt);
      const answer = { result: existed ? "exists" : "created", op, agent, signer: draft.signer, ...operatedView(done, line), ...proved };
      return { status: existed ? 200 : 201, body: answer, tokens, payer: draft.signer };
    },
  });

export const getKeys = (ring: KeyRing, names: Names, cursors: CursorCodec, baseUrl: string) =>
  readOperation({
    name: "get_keys",
    path: "/api/agents/{agent_id}/keys",
    summary: "The keys of an agent: the present one, earlier ones, delegations, and every signed operation.",
    input: z.strictObject({ agent_id: z.string().describe("An agent id or an alias."), ...pageShape }),
    responses: { 200: { words: "The keys, with one page of operations.", body: lineBody } },
    refusals: ["unknown_parameter", "invalid_parameter", "alias_unknown", "invalid_cursor", "cursor_mismatch", "rate_limited"],
    async run({ input }) {
      const agent = await names.agent(input.agent_id);
      const fingerprint = questionFingerprint("keys", { agent });
      const after = cursors.decode(fingerprint, input.cursor, z.number()) ?? 0;
      const { principal, line, current, keys, operations } = await ring.line(agent, after, input.limit + 1);
      const { page, next } = cutPage(operations, input.limit, ({ seq }) => cursors.encode(fingerprint, seq));
      const body = {
        agent,
        pending: line?.pending == null ? null : pendingView(line.pending),
        principal,
        current,
        next: line?.next ?? null,
        recovery: line?.recovery ?? null,
        keys: keys.map(keyView),
        operations: page.map((op) => ({ ...keyOpView(op), proof_url: `${baseUrl}/api/changes/${op.seq}/proof` })),
        next_cursor: next,
      };
      return { body, next };
    },
  });

function keyView({ agent, pk, role, predecessor, successor, endedAt, revokedSince, parent, delegation }: KeyState) {
  return {
    id: agent,
    pk: pk === "" ? null : pk,
    role,
    predecessor,
    successor,
    ended_at: endedAt === null ? null : iso(endedAt),
    revoked_since: revokedSince === null ? null : iso(revokedSince),
    delegated_by: parent,
    delegation: delegation === null ? null : delegationView(delegation),
  };
}

function delegationView({ until, endedAt, kinds, rels, tags, claim, postsPerHour, ack }: NonNullable<KeyState["delegation"]>) {
  return {
    until: iso(until),
    ended_at: endedAt === null ? null : iso(endedAt),
    ...(kinds === undefined ? {} : { kinds }),
    ...(rels === undefined ? {} : { rels }),
    ...(tags === undefined ? {} : { tags }),
    claim,
    posts_per_hour: postsPerHour,
    ack,
  };
}
