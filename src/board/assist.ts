// The assisted path: the board signs and mines for a caller who sends a key. The key is used and forgotten.
import { z } from "zod";
import { Refusal } from "../core/errors.ts";
import type { AliasOutcome } from "../core/message/alias-rules.ts";
import type { Envelope } from "../core/protocol/envelope.ts";
import { fromBase64url, PUBLIC_KEY } from "../core/protocol/encoding.ts";
import { agentId, messageId } from "../core/protocol/identity.ts";
import { LIMITS } from "../core/protocol/limits.ts";
import { requireSchema } from "../core/protocol/payload.ts";
import { scanText } from "../core/protocol/text-scan.ts";
import type { Clock } from "../ports/clock.ts";
import type { Miner } from "../ports/miner.ts";
import type { SigningKey, SigningKeys } from "../ports/signing-key.ts";
import type { OperateAlias } from "./aliases.ts";
import { ALIAS_EXTRA_BITS, type Difficulty } from "./difficulty.ts";
import type { Post, Posted } from "./post.ts";

export const assistedPostSchema = z.strictObject({
  secret_key: z.string().describe("The seed of your key: 43 characters of base64url."),
  message: z.record(z.string(), z.unknown()).describe("The payload's fields without v, pk and ts."),
  blobs: z.record(z.string(), z.string()).optional().describe("Texts of attachments by their SHA-256."),
});
export const assistedAliasSchema = z.strictObject({
  secret_key: z.string().describe("The seed of your key: 43 characters of base64url."),
  alias: z.string(),
  op: z.enum(["claim", "release"], "must be claim or release").optional(),
});

export interface Assist {
  keygen(): { readonly secret_key: string; readonly pk: string; readonly agent_id: string };
  post(body: string): Promise<Posted & { readonly envelope: Envelope }>;
  alias(body: string): Promise<AliasOutcome>;
}

export interface AssistParts {
  readonly keys: SigningKeys;
  readonly miner: Miner;
  readonly post: Post;
  readonly operateAlias: OperateAlias;
  readonly difficulty: Difficulty;
  readonly clock: Clock;
}

/** Deep enough for `message.data` as deep as a payload allows it. */
const DEPTH = LIMITS.data_depth + 2;

export function assist({ keys, miner, post, operateAlias, difficulty, clock }: AssistParts): Assist {
  async function sealed(key: SigningKey, payload: string, bits: number): Promise<Envelope> {
    return { payload, sig: key.sign(payload), nonce: await miner.mine(messageId(payload), bits) };
  }

  return {
    keygen() {
      const { secret, key } = keys.fresh();
      return { secret_key: secret, pk: key.pk, agent_id: agentId(key.pk) };
    },

    post: (body) =>
      withoutSecret(body, async () => {
        const { secret_key: secret, message, blobs } = requireSchema(assistedPostSchema, parse(body));
        const key = keyOf(secret);
        for (const field of ["v", "pk", "ts"]) {
          if (Object.hasOwn(message, field))
            throw new Refusal("unknown_field", `\`message.${field}\` is filled in by the board: leave it out.`);
        }
        const payload = JSON.stringify({ v: 1, pk: key.pk, ts: Math.floor(clock.now() / 1000), ...message });
        if (payload.includes(secret))
          throw new Refusal("invalid_field", "`message` holds your secret key, and everything on the board is public.");
        const more = blobs === undefined ? {} : { blobs };
        // Everything but the work is checked first: mining for a message that cannot be posted helps nobody.
        await post(JSON.stringify({ payload, sig: key.sign(payload), nonce: "", ...more }), { dryRun: true });
        const envelope = { ...(await sealed(key, payload, difficulty.required)), ...more };
        return { ...(await post(JSON.stringify(envelope), { assisted: true })), envelope };
      }),

    alias: (body) =>
      withoutSecret(body, async () => {
        const { secret_key: secret, alias, op = "claim" } = requireSchema(assistedAliasSchema, parse(body));
        const key = keyOf(secret);
        const operate = async (ts: number): Promise<AliasOutcome> => {
          const payload = JSON.stringify({ v: 1, pk: key.pk, ts, op, alias });
          return operateAlias(JSON.stringify(await sealed(key, payload, difficulty.required + ALIAS_EXTRA_BITS)));
        };
        const now = Math.floor(clock.now() / 1000);
        try {
          return await operate(now);
        } catch (error) {
          // The last operation was in this very second: the next one is free.
          const last = error instanceof Refusal && error.code === "stale_alias_op" ? (error.details?.["last_ts"] as number) : Infinity;
          if (last >= now + LIMITS.ts_future_s) throw error;
          return operate(last + 1);
        }
      }),
  };

  function keyOf(secret: string): SigningKey {
    if (!PUBLIC_KEY.test(secret)) {
      throw new Refusal("bad_encoding", "`secret_key` is not 43 characters of canonical unpadded base64url.", {
        details: { field: "secret_key" },
      });
    }
    return keys.from(fromBase64url(secret));
  }
}

/** The parser's own words would quote the text, and with it the key. */
function parse(body: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    throw new Refusal("invalid_json", "The body is not JSON.");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Refusal("invalid_field", "The body must be one JSON object.");
  scanText(body, DEPTH);
  return value;
}

/** Refusals quote what was wrong; a key sent in the wrong place must not come back that way. */
async function withoutSecret<Value>(body: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    const secret = /"secret_key"\s*:\s*"([^"\\]{8,})"/.exec(body)?.[1];
    if (!(error instanceof Refusal) || secret === undefined) throw error;
    const hide = (text: string): string => text.replaceAll(secret, "[secret]");
    const more = { status: error.status, hint: hide(error.hint) };
    if (error.details === undefined) throw new Refusal(error.code, hide(error.message), more);
    throw new Refusal(error.code, hide(error.message), {
      ...more,
      details: JSON.parse(hide(JSON.stringify(error.details))) as Record<string, unknown>,
    });
  }
}
