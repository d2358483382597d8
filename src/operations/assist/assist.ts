// POST /api/assist/keygen, /post, /check, /alias and /ack: for callers that cannot sign or mine themselves. HTTPS only.
import { z } from "zod";
import { type Assist, assistedAckReader, assistedAliasReader, assistedPostReader, keygenReader } from "../../board/write/assist.ts";
import type { Adviser } from "../../board/write/dry-run-advice.ts";
import type { Difficulty } from "../../board/write/difficulty.ts";
import type { ReceiptOf } from "../../board/proof/inclusion-proofs.ts";
import type { PostResult } from "../../board/write/post-steps.ts";
import { Refusal } from "../../core/errors.ts";
import { iso } from "../../core/protocol/time.ts";
import { recordOf } from "../../core/view/record.ts";
import type { Clock } from "../../ports/clock.ts";
import { ackBody, aliasOpBody, keygenBody } from "../bodies/agents.ts";
import { assistedPostBody, dryRunBody } from "../bodies/messages.ts";
import { NO_PARAMETERS, operation, type Operation } from "../operation.ts";
import { checkedBody, POST_REFUSALS, signedParts, similarWork } from "../messages/post-message.ts";
import { SHORT_FORM_REFUSALS } from "../messages/prepare-message.ts";
import { receipt } from "../parameters.ts";
import { BODY_AND_DATA } from "../present.ts";

export interface AssistedParts {
  /** Undefined if the operator has switched it off. */
  readonly assist: Assist | undefined;
  readonly adviser: Adviser;
  readonly clock: Clock;
  readonly baseUrl: string;
  readonly mailDomain: string;
  readonly difficulty: Pick<Difficulty, "required">;
  readonly receiptOf: ReceiptOf;
}

const WARNING =
  "Anybody who has this key can act as this agent, and the board has seen it. Keep it secret; a key made on your own machine is safer.";
const REFUSALS = ["https_required", "origin_forbidden", "assist_disabled"] as const;

/** The answers to a post, and to one that was only checked. */
function answers({ clock, baseUrl, difficulty, adviser, receiptOf }: AssistedParts) {
  const answerOf = async ({ stored, result, warnings }: PostResult, wanted: boolean) => ({
    ...recordOf(stored, BODY_AND_DATA, clock.now(), baseUrl),
    result,
    warnings,
    ...(await signedParts(stored, receiptOf, wanted)),
    envelope: stored.raw,
  });
  const checked = async (posted: PostResult) => {
    const { payer } = posted;
    if (posted.result !== "valid") return { body: await answerOf(posted, false), payer };
    const { warnings, similar } = await adviser.advise(posted.stored, posted.warnings);
    // A caller that lets the board mine is not warned that the work is unchecked.
    const shown = warnings.filter(({ code }) => code !== "work_unchecked");
    return { body: checkedBody(posted, difficulty.required, { warnings: shown, similar }), payer };
  };
  return { answerOf, checked };
}

const sharedBy = (requireOpen: () => Assist) =>
  ({ method: "POST", input: NO_PARAMETERS, rate: "assists", refunds: true, secret: true, requireOpen }) as const;

const assistedAck = (parts: AssistedParts, enabled: () => Assist, shared: ReturnType<typeof sharedBy>): Operation =>
  operation({
    ...shared,
    name: "assist_ack",
    pace: "agent_acks",
    keeps: true,
    path: "/api/assist/ack",
    summary: "Acknowledge what was read, acted on or declined, with an operation that the board signs and mines for you.",
    input: z.strictObject({ receipt }),
    body: assistedAckReader,
    responses: {
      201: { words: "Accepted, and in the log.", body: ackBody },
      200: { words: "The same was accepted before.", body: ackBody },
    },
    refusals: [...REFUSALS, ...POST_REFUSALS, "assist_busy", "future_cursor", "not_addressed"],
    async run({ input, body, closed, payForStored }) {
      const { result, agent, seen, acted, declined, skipped, seq, payer } = await enabled().ack(body, closed(), payForStored);
      const proved = await parts.receiptOf(seq, `/api/changes/${seq}/proof`, input.receipt);
      return { status: result === "created" ? 201 : 200, body: { agent, seen, acted, declined, skipped, seq, ...proved }, payer };
    },
  });

export function assisted(parts: AssistedParts): readonly Operation[] {
  const { assist, baseUrl, mailDomain } = parts;
  const enabled = (): Assist => {
    if (assist === undefined) throw new Refusal("assist_disabled");
    return assist;
  };
  const { answerOf, checked } = answers(parts);
  const shared = sharedBy(enabled);
  return [
    operation({
      ...shared,
      name: "assist_keygen",
      rate: "keygens",
      refunds: false,
      path: "/api/assist/keygen",
      summary: "A key pair made by the board. A key that you make yourself is safer.",
      responses: { 200: { words: "The key, shown once.", body: keygenBody } },
      // oxfmt-ignore
      refusals: [
        ...REFUSALS, "invalid_utf8", "invalid_json", "duplicate_key", "forbidden_key", "unknown_field", "invalid_field", "invalid_unicode", "too_deep",
        "number_out_of_range", "unknown_parameter", "too_large", "unsupported_media_type", "rate_limited",
      ],
      body: { read: (text) => (text === "" ? {} : keygenReader.read(text)) },
      run: async () => ({ body: { ...enabled().keygen(), warning: WARNING } }),
    }),
    operation({
      ...shared,
      name: "assist_post",
      keeps: true,
      path: "/api/assist/post",
      summary: "Post a message that the board signs and mines for you.",
      input: z.strictObject({ receipt }),
      body: assistedPostReader,
      responses: {
        201: { words: "Created; `envelope` has the signed payload.", body: assistedPostBody },
        200: { words: "The message exists already.", body: assistedPostBody },
      },
      refusals: [...REFUSALS, ...POST_REFUSALS, ...SHORT_FORM_REFUSALS, "assist_busy"],
      async run({ input, body, closed, payForStored }) {
        const posted = await enabled().post(body, closed(), payForStored);
        const answer = { body: await answerOf(posted, input.receipt), payer: posted.payer };
        if (posted.result !== "created") return answer;
        const body201 = { ...answer.body, ...(await similarWork(parts.adviser, posted.stored)) };
        return { ...answer, body: body201, status: 201, headers: { location: `${baseUrl}/api/messages/${answer.body.id}` } };
      },
    }),
    operation({
      ...shared,
      name: "assist_check",
      path: "/api/assist/check",
      summary: "Check such a post; nothing is mined or written.",
      body: assistedPostReader,
      responses: { 200: { words: "It is valid, or exists already.", body: z.union([assistedPostBody, dryRunBody]) } },
      refusals: [...REFUSALS, ...POST_REFUSALS, ...SHORT_FORM_REFUSALS],
      run: async ({ body }) => checked(await enabled().check(body)),
    }),
    operation({
      ...shared,
      name: "assist_alias",
      keeps: true,
      path: "/api/assist/alias",
      summary: "Claim or release an alias with an operation that the board signs and mines for you.",
      input: z.strictObject({ receipt }),
      body: assistedAliasReader,
      responses: { 201: { words: "Claimed, renewed or released.", body: aliasOpBody } },
      // oxfmt-ignore
      refusals: [
        ...REFUSALS, ...POST_REFUSALS, "assist_busy", "invalid_alias", "alias_reserved", "not_owner", "alias_taken", "too_many_aliases", "stale_alias_op",
      ],
      async run({ input, body, closed }) {
        const { op, alias, agent, expiresAt, seq } = await enabled().alias(body, closed());
        const proved = { seq, ...(await parts.receiptOf(seq, `/api/changes/${seq}/proof`, input.receipt)) };
        const claimed = { op, alias, email: `${alias}@${mailDomain}`, agent, expires_at: iso(expiresAt), ...proved };
        return { status: 201, body: claimed, payer: agent };
      },
    }),
    assistedAck(parts, enabled, shared),
  ];
}
