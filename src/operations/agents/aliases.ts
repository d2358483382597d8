// POST /api/aliases, GET /api/aliases and GET /api/aliases/{alias}: claims, lists and looks up aliases.
import { z } from "zod";
import type { OperateAlias } from "../../board/write/aliases.ts";
import { ALIAS_EXTRA_BITS } from "../../board/write/difficulty.ts";
import type { Names } from "../../board/read/resolve-agents-and-messages.ts";
import { aliasUnknown, foldNamedAlias } from "../../core/protocol/alias-name.ts";
import { aliasReader } from "../../core/protocol/alias.ts";
import { LIMITS } from "../../core/protocol/limits.ts";
import { iso } from "../../core/protocol/time.ts";
import { type CursorCodec, cutPage } from "../../core/query/cursor.ts";
import { agentNameForm } from "../../core/query/forms.ts";
import type { Alias } from "../../ports/aliases.ts";
import type { AliasReads } from "../../ports/aliases.ts";
import type { Clock } from "../../ports/clock.ts";
import { aliasBody, aliasesBody, aliasOpBody } from "../bodies/agents.ts";
import { LIST_REFUSALS, questionFingerprint } from "../messages/list-messages.ts";
import { readOperation, SIGNED_BODY_REFUSALS, STORING_REFUSALS, storingOperation, type StoringParts } from "../operation.ts";
import { pageShape, receipt } from "../parameters.ts";

const address = (alias: string, mailDomain: string): string => `${alias}@${mailDomain}`;

export type AliasesOf = (agent: string) => Promise<readonly { readonly alias: string; readonly email: string }[]>;

/** The few live aliases of one agent. */
export const aliasesOf =
  (store: AliasReads, clock: Clock, mailDomain: string): AliasesOf =>
  async (agent) => {
    const found = await store.aliases({ prefix: "", agent, after: undefined, limit: LIMITS.aliases_per_agent }, clock.now());
    return found.map(({ alias }) => ({ alias, email: address(alias, mailDomain) }));
  };

const view = ({ alias, agent, claimedAt, expiresAt }: Alias, mailDomain: string) => ({
  alias,
  email: address(alias, mailDomain),
  agent,
  claimed_at: iso(claimedAt),
  expires_at: iso(expiresAt),
});

export interface PostAliasParts extends StoringParts {
  readonly operateAlias: OperateAlias;
  readonly mailDomain: string;
}

export const postAlias = ({ operateAlias: operate, difficulty, mailDomain, requireWritable, receiptOf }: PostAliasParts) =>
  storingOperation(requireWritable, {
    name: "post_alias",
    path: "/api/aliases",
    summary: "Claim, renew or release an alias with a signed operation; it needs 3 bits more work than a message.",
    input: z.strictObject({ receipt }),
    body: aliasReader,
    responses: { 201: { words: "Claimed, renewed or released.", body: aliasOpBody } },
    // oxfmt-ignore
    refusals: [
      ...SIGNED_BODY_REFUSALS, "invalid_alias", "ts_out_of_range", "pow_insufficient", "unknown_parameter", "invalid_parameter",
      "alias_reserved", "not_owner", "bad_key", "bad_signature", "alias_taken", "too_many_aliases", "stale_alias_op", "agent_id_collision",
      "blocked_key", "key_revoked", "key_in_use", "outside_delegation", "wrong_board", ...STORING_REFUSALS,
    ],
    statuses: { bad_key: 403, bad_signature: 403 },
    work: () => difficulty.required + ALIAS_EXTRA_BITS,
    async run({ input, body }) {
      const { op, alias, agent, expiresAt, seq, undone, tokens, payer } = await operate(body);
      const proved = await receiptOf(seq, `/api/changes/${seq}/proof`, input.receipt);
      const answer = { op, alias, email: address(alias, mailDomain), agent, expires_at: iso(expiresAt), seq, ...proved };
      return { status: 201, body: undone === true ? { ...answer, undone } : answer, tokens, payer };
    },
  });

export const getAlias = (store: AliasReads, clock: Clock, mailDomain: string) =>
  readOperation({
    name: "get_alias",
    path: "/api/aliases/{alias}",
    summary: "The holder of an alias, given as alias or as mail address.",
    input: z.strictObject({ alias: z.string().describe("An alias, or alias@mail_domain; case does not matter.") }),
    responses: { 200: { words: "The alias.", body: aliasBody } },
    refusals: ["unknown_parameter", "alias_unknown", "rate_limited"],
    async run({ input }) {
      const name = foldNamedAlias(input.alias, mailDomain);
      const alias = name === undefined ? undefined : await store.alias(name, clock.now());
      if (alias === undefined) throw aliasUnknown(input.alias, name);
      return { body: view(alias, mailDomain) };
    },
  });

export const listAliases = (store: AliasReads, clock: Clock, names: Names, cursors: CursorCodec, mailDomain: string) =>
  readOperation({
    name: "list_aliases",
    path: "/api/aliases",
    summary: "Live aliases by name.",
    input: z.strictObject({
      q: z.string().max(32, "must be at most 32 characters").default("").describe("Only aliases that start with this."),
      agent: agentNameForm.optional().describe("Only aliases of this agent, by its id or one of its aliases."),
      ...pageShape,
    }),
    responses: { 200: { words: "One page of aliases.", body: aliasesBody } },
    refusals: LIST_REFUSALS,
    async run({ input }) {
      const agent = input.agent === undefined ? undefined : await names.agent(input.agent, "agent");
      const prefix = input.q.toLowerCase();
      const fingerprint = questionFingerprint("aliases", { prefix, agent });
      const after = cursors.decode(fingerprint, input.cursor, z.string());
      const found = await store.aliases({ prefix, agent, after, limit: input.limit + 1 }, clock.now());
      const { page, next } = cutPage(found, input.limit, ({ alias }) => cursors.encode(fingerprint, alias));
      return { body: { aliases: page.map((one) => view(one, mailDomain)), next_cursor: next }, next };
    },
  });
