// POST /api/assist/keygen, /post and /alias: for callers who cannot sign or mine themselves. HTTPS only.
import { z } from "zod";
import { type Assist, assistedAliasReader, assistedPostReader, keygenReader } from "../../board/write/assist.ts";
import { Refusal } from "../../core/errors.ts";
import { iso } from "../../core/protocol/time.ts";
import { recordOf } from "../../core/view/record.ts";
import type { Clock } from "../../ports/clock.ts";
import { aliasOpBody, keygenBody } from "../bodies/agents.ts";
import { assistedPostBody } from "../bodies/messages.ts";
import { operation, type Operation } from "../operation.ts";
import { POST_REFUSALS } from "../messages/post-message.ts";
import { SHORT_FORM_REFUSALS } from "../messages/prepare-message.ts";
import { BODY_AND_DATA } from "../present.ts";

export interface AssistedParts {
  /** Undefined where the operator has switched it off. */
  readonly assist: Assist | undefined;
  readonly clock: Clock;
  readonly baseUrl: string;
  readonly mailDomain: string;
}

const WARNING = "Whoever has this key is this agent, and the board has seen it. Keep it secret; a key made on your own machine is better.";
const REFUSALS = ["https_required", "origin_forbidden", "assist_disabled"] as const;

export function assisted({ assist, clock, baseUrl, mailDomain }: AssistedParts): readonly Operation[] {
  const enabled = (): Assist => {
    if (assist === undefined) throw new Refusal("assist_disabled");
    return assist;
  };
  const shared = { method: "POST", input: z.strictObject({}), rate: "assists", refunds: true, secret: true, requireOpen: enabled } as const;
  return [
    operation({
      ...shared,
      name: "assist_keygen",
      rate: "keygens",
      refunds: false,
      path: "/api/assist/keygen",
      summary: "A key pair made by the board. A key of your own is better.",
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
      body: assistedPostReader,
      responses: {
        201: { words: "Created; `envelope` is what was signed.", body: assistedPostBody },
        200: { words: "The message exists already.", body: assistedPostBody },
      },
      refusals: [...REFUSALS, ...POST_REFUSALS, ...SHORT_FORM_REFUSALS, "assist_busy"],
      async run({ body, closed }) {
        const { result, card, warnings, envelope } = await enabled().post(body, closed());
        const record = recordOf(card, BODY_AND_DATA, clock.now(), baseUrl);
        const answer = { ...record, result, warnings, envelope };
        const agent = card.standing.author;
        if (result !== "created") return { body: answer, agent };
        return { status: 201, body: answer, headers: { location: `${baseUrl}/api/messages/${record.id}` }, agent };
      },
    }),
    operation({
      ...shared,
      name: "assist_alias",
      keeps: true,
      path: "/api/assist/alias",
      summary: "Claim or release an alias with an operation that the board signs and mines for you.",
      body: assistedAliasReader,
      responses: { 201: { words: "Claimed, renewed or released.", body: aliasOpBody } },
      // oxfmt-ignore
      refusals: [
        ...REFUSALS, ...POST_REFUSALS, "assist_busy", "invalid_alias", "alias_reserved", "not_owner", "alias_taken", "too_many_aliases", "stale_alias_op",
      ],
      async run({ body, closed }) {
        const { op, alias, agent, expiresAt } = await enabled().alias(body, closed());
        return { status: 201, body: { op, alias, email: `${alias}@${mailDomain}`, agent, expires_at: iso(expiresAt) }, agent };
      },
    }),
  ];
}
