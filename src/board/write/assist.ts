// The assisted path: the board signs and mines for a caller that sends a key. The key is not stored.
import { z } from "zod";
import { Refusal } from "../../core/errors.ts";
import type { AliasOutcome } from "../../core/message/alias-rules.ts";
import { ackPayloadSchema } from "../../core/protocol/ack.ts";
import { secretBody } from "../../core/protocol/read-json-body.ts";
import { fromBase64url, SECRET_KEY } from "../../core/protocol/encoding.ts";
import { agentId, messageId } from "../../core/protocol/message-and-agent-ids.ts";
import { LIMITS } from "../../core/protocol/limits.ts";
import { MESSAGE_FIELDS } from "../../core/protocol/short-forms.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Miner } from "../../ports/miner.ts";
import type { CallerKey, SigningKeys } from "../../ports/signing-key.ts";
import type { Acknowledge, Acknowledged } from "./acks.ts";
import type { OperateAlias } from "./aliases.ts";
import { ackBits, ALIAS_EXTRA_BITS, type Difficulty } from "./difficulty.ts";
import type { Post } from "./post.ts";
import type { PayForStored, PostResult } from "./post-steps.ts";
import { notMinedFor, requireNoneOfBoard } from "./prepare.ts";
import type { WriteOut } from "./expand-short-forms.ts";

/** Deep enough for `message.data` at its greatest allowed depth. */
const DEPTH = LIMITS.data_depth + 2;
const secretKey = z.string().describe("The seed of your key: 43 characters of base64url.");

/** The key is made from the board's own randomness only. */
export const keygenReader = secretBody(z.strictObject({}), DEPTH, "Send no body, or {}: the board makes the key by itself.");
export const assistedPostReader = secretBody(
  z.strictObject({
    secret_key: secretKey,
    message: z.record(z.string(), z.unknown()).describe(MESSAGE_FIELDS),
    blobs: z.record(z.string(), z.string()).optional().describe("Texts of attachments by their SHA-256."),
  }),
  DEPTH,
  'Send {"secret_key":…,"message":{"kind":"note","title":…,"body":…}}, and `blobs` for attachments; POST /api/assist/keygen makes a key.',
);
export const assistedAliasReader = secretBody(
  z.strictObject({ secret_key: secretKey, alias: z.string(), op: z.enum(["claim", "release"], "must be claim or release").optional() }),
  DEPTH,
  'Send {"secret_key":…,"alias":…}, and `op` if not claim; POST /api/assist/keygen makes a key.',
);
const { seen, acted, declined } = ackPayloadSchema.shape;
export const assistedAckReader = secretBody(
  z.strictObject({ secret_key: secretKey, seen, acted, declined }),
  DEPTH,
  'Send {"secret_key":…,"seen":seq}, and `acted` (ids) or `declined` ([{"id":…,"why":"busy"}]) if you like; POST /api/assist/keygen makes a key.',
);
type AssistedAck = ReturnType<typeof assistedAckReader.read>;
type AssistedPost = ReturnType<typeof assistedPostReader.read>;
type AssistedAlias = ReturnType<typeof assistedAliasReader.read>;

/** `gone` is aborted when the caller disconnects; this stops the mining. */
export interface Assist {
  keygen(): { readonly secret_key: string; readonly pk: string; readonly agent_id: string };
  post(asked: AssistedPost, gone: AbortSignal, payForStored: PayForStored): Promise<PostResult>;
  /** The result that a post would have; nothing is mined or written. */
  check(asked: AssistedPost): Promise<PostResult>;
  alias(asked: AssistedAlias, gone: AbortSignal): Promise<AliasOutcome>;
  ack(asked: AssistedAck, gone: AbortSignal, payForStored: PayForStored): Promise<Acknowledged>;
}

export interface AssistParts {
  readonly keys: SigningKeys;
  readonly miner: Miner;
  readonly post: Post;
  readonly operateAlias: OperateAlias;
  readonly acknowledge: Acknowledge;
  readonly difficulty: Difficulty;
  readonly clock: Clock;
  readonly writeOut: WriteOut;
  /** The board's own agent id. */
  readonly board: string;
}

/** A payload and its signature. The later steps need no key, so no key stays in memory while mining. */
interface Signed {
  readonly payload: string;
  readonly sig: string;
}
const sign = (key: CallerKey, payload: object): Signed => {
  const text = JSON.stringify(payload);
  return { payload: text, sig: key.sign(text) };
};

/** The number of attempts: enough for a message that is posted, withdrawn and posted again within a second. */
const MOST_MOMENTS = 4;

export function assist({ keys, miner, post, operateAlias, acknowledge, difficulty, clock, writeOut, board }: AssistParts): Assist {
  const now = (): number => Math.floor(clock.now() / 1000);

  /** Checks everything except the work first, so that nothing is mined for a message that would be refused. */
  async function checkedPost({
    secret_key: secret,
    ...rest
  }: AssistedPost): Promise<{ signed: Signed; blobs: object; checked: PostResult }> {
    const key = keyOf(keys, secret, rest);
    const { message: given, blobs } = rest;
    requireNoneOfBoard(given);
    const { message, blobs: texts } = await writeOut(given);
    const more = blobs === undefined && Object.keys(texts).length === 0 ? {} : { blobs: { ...blobs, ...texts } };
    for (let ts = now(), last = ts + MOST_MOMENTS - 1; ; ts++) {
      const signed = sign(key, { v: 1, pk: key.pk, ts, ...message });
      try {
        return { signed, blobs: more, checked: await post({ ...signed, nonce: "", ...more }, { dryRun: true }) };
      } catch (error) {
        // The same message was posted in this second and withdrawn since, so it needs another `ts`.
        if (!(error instanceof Refusal) || error.code !== "retracted" || ts >= last) throw error;
      }
    }
  }

  async function checkedAlias({ secret_key: secret, ...rest }: AssistedAlias): Promise<Signed> {
    const key = keyOf(keys, secret, rest);
    const { alias, op = "claim" } = rest;
    const signedAt = (ts: number): Signed => sign(key, { v: 1, pk: key.pk, ts, op, alias, board });
    const check = (signed: Signed) => operateAlias({ ...signed, nonce: "" }, { dryRun: true });
    const ts = now();
    const first = signedAt(ts);
    const last = await check(first).then(
      // The same operation was done in this second and undone since, so it needs another `ts`.
      ({ undone }) => (undone === true ? ts : undefined),
      (error: unknown) => {
        // The clock of the signer of the last operation is ahead.
        const known = error instanceof Refusal && error.code === "stale_alias_op" ? Number(error.details?.["last_ts"]) : Infinity;
        if (known >= ts + LIMITS.ts_future_s) throw error;
        return known;
      },
    );
    if (last === undefined) return first;
    const next = signedAt(last + 1);
    await check(next);
    return next;
  }

  return {
    keygen() {
      const { secret, pk } = keys.fresh();
      return { secret_key: secret, pk, agent_id: agentId(pk) };
    },

    async post(asked, gone, payForStored) {
      const { signed, blobs, checked } = await checkedPost(asked);
      if (checked.result === "exists") return checked;
      if (checked.brake > 0) throw notMinedFor(difficulty.required + checked.brake);
      const nonce = await miner.mine(messageId(signed.payload), difficulty.required, gone);
      return post({ ...signed, nonce, ...blobs }, { assisted: true, payForStored });
    },

    check: async (asked) => (await checkedPost(asked)).checked,

    async alias(asked, gone) {
      const signed = await checkedAlias(asked);
      const nonce = await miner.mine(messageId(signed.payload), difficulty.required + ALIAS_EXTRA_BITS, gone);
      return operateAlias({ ...signed, nonce });
    },

    async ack({ secret_key: secret, ...what }, gone, payForStored) {
      const key = keyOf(keys, secret, what);
      const signed = sign(key, { v: 1, pk: key.pk, ts: now(), board, op: "ack", ...what });
      const nonce = await miner.mine(messageId(signed.payload), ackBits(difficulty.required), gone);
      return acknowledge({ ...signed, nonce }, payForStored);
    },
  };
}

/** Removes the secret from the input. After this, nothing that is quoted, logged or stored can contain it. */
function keyOf(keys: SigningKeys, secret: string, rest: object): CallerKey {
  if (!SECRET_KEY.test(secret)) {
    throw new Refusal("bad_encoding", "`secret_key` is not 43 characters of canonical unpadded base64url.", {
      details: { field: "secret_key" },
      hint: "Send the 32 bytes of the Ed25519 seed as unpadded base64url, as keygen gives it.",
    });
  }
  if (JSON.stringify(rest).includes(secret))
    throw new Refusal("secret_detected", "Your secret key is also outside of `secret_key`, in a field that becomes public.", {
      hint: "Send the secret in `secret_key` only.",
      details: { kind: "board_secret_key" },
    });
  return keys.from(fromBase64url(secret));
}
