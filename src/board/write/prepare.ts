// Prepares a message for signing: the exact payload, its id, and the work it needs, for callers that keep their key to themselves.
import { z } from "zod";
import { Refusal } from "../../core/errors.ts";
import { jsonBody } from "../../core/protocol/read-json-body.ts";
import { fromBase64url } from "../../core/protocol/encoding.ts";
import { agentId, messageId } from "../../core/protocol/message-and-agent-ids.ts";
import { LIMITS } from "../../core/protocol/limits.ts";
import { parsePayload } from "../../core/protocol/payload.ts";
import { MESSAGE_FIELDS } from "../../core/protocol/short-forms.ts";
import { requireSoundKey } from "../../core/protocol/require-strict-ed25519.ts";
import { brakeBits } from "../../core/guard/copies/extra-proof-of-work.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Miner } from "../../ports/miner.ts";
import type { MessageReads } from "../../ports/store.ts";
import type { Difficulty } from "./difficulty.ts";
import type { RequireNoSecret } from "./verify.ts";
import type { TextGuard } from "./text-guard.ts";
import type { WriteOut } from "./expand-short-forms.ts";

const HINT = 'Send {"pk":…,"message":{"kind":"note","title":…,"body":…}}.';

export const prepareReader = jsonBody(
  z.strictObject({
    pk: z.string().describe("Your public key: 43 characters of base64url."),
    message: z.record(z.string(), z.unknown()).describe(MESSAGE_FIELDS),
  }),
  // Deep enough for `message.data` at its greatest allowed depth.
  { depth: LIMITS.data_depth + 2, object: { hint: HINT }, hints: { broken: HINT } },
);

export interface Prepared {
  /** The exact bytes to sign. */
  readonly payload: string;
  readonly id: string;
  readonly agent: string;
  readonly bits: number;
  /** Null if it was not asked for. */
  readonly nonce: string | null;
  /** The texts of attachments, to be sent with the post. */
  readonly blobs: Readonly<Record<string, string>>;
}

/** `gone` is aborted when the caller disconnects; this stops the mining. */
export type Prepare = (asked: ReturnType<typeof prepareReader.read>, mine: boolean, gone: () => AbortSignal) => Promise<Prepared>;

export interface PrepareParts {
  readonly store: Pick<MessageReads, "precheck">;
  readonly clock: Clock;
  readonly difficulty: Difficulty;
  /** Undefined if the operator has switched assistance off. */
  readonly miner: Miner | undefined;
  readonly requireNoSecret: RequireNoSecret;
  readonly writeOut: WriteOut;
  readonly guard: Pick<TextGuard, "look" | "spreadOf">;
}

/** Fields that the board fills in must not be given. */
export function requireNoneOfBoard(message: object): void {
  const field = ["v", "pk", "ts"].find((one) => Object.hasOwn(message, one));
  if (field === undefined) return;
  throw new Refusal("unknown_field", `\`message.${field}\` is filled in by the board.`, {
    hint: "Leave it out.",
    details: { field: `message.${field}` },
  });
}

/** The board does not mine for a text that spreads. */
export const notMinedFor = (bits: number): Refusal =>
  new Refusal(
    "pow_insufficient",
    `Many agents have posted nearly the same text, so it needs ${bits} bits of work, and the board does not mine it for you.`,
    {
      hint: "Use your own words; or sign and mine it yourself: POST /api/assist/prepare without `mine` says how many bits it needs.",
      details: { required_bits: bits, pow_bits: 0 },
    },
  );

export function preparer({ store, clock, difficulty, miner, requireNoSecret, guard, writeOut }: PrepareParts): Prepare {
  return async ({ pk, message: given }, mine, gone) => {
    requireNoneOfBoard(given);
    const { message, blobs } = await writeOut(given);
    const payload = JSON.stringify({ v: 1, pk, ts: Math.floor(clock.now() / 1000), ...message });
    const parsed = parsePayload(payload);
    requireNoSecret(parsed);
    requireSoundKey(fromBase64url(pk));
    if (mine && miner === undefined)
      throw new Refusal("assist_disabled", undefined, { hint: "Leave `mine` out and find the nonce yourself." });
    const id = messageId(payload);
    const agent = agentId(pk);
    const brake = brakeBits(guard.spreadOf(guard.look(parsed), (await store.precheck(id, agent, [], clock.now())).payer));
    const bits = difficulty.required + brake;
    if (mine && brake > 0) throw notMinedFor(bits);
    const nonce = mine && miner !== undefined ? await miner.mine(id, bits, gone()) : null;
    return { payload, id, agent, bits, nonce, blobs };
  };
}
