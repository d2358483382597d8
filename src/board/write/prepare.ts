// A message made ready to be signed: the exact payload, its id, and the work it needs, for a caller who keeps the key to itself.
import { z } from "zod";
import { Refusal } from "../../core/errors.ts";
import { jsonBody } from "../../core/protocol/body.ts";
import { fromBase64url } from "../../core/protocol/encoding.ts";
import { agentId, messageId } from "../../core/protocol/identity.ts";
import { LIMITS } from "../../core/protocol/limits.ts";
import { parsePayload } from "../../core/protocol/payload.ts";
import { MESSAGE_FIELDS } from "../../core/protocol/short-forms.ts";
import { requireSoundKey } from "../../core/protocol/signature.ts";
import { brakeBits } from "../../core/guard/copies/brake.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Miner } from "../../ports/miner.ts";
import type { Difficulty } from "./difficulty.ts";
import type { RequireNoSecret } from "./secrets.ts";
import type { TextGuard } from "./text-guard.ts";
import type { WriteOut } from "./write-out.ts";

const HINT = 'Send {"pk":…,"message":{"kind":"note","title":…,"body":…}}.';

export const prepareReader = jsonBody(
  z.strictObject({
    pk: z.string().describe("Your public key: 43 characters of base64url."),
    message: z.record(z.string(), z.unknown()).describe(MESSAGE_FIELDS),
  }),
  // Deep enough for `message.data` as deep as a payload allows it.
  { depth: LIMITS.data_depth + 2, object: { hint: HINT }, hints: { broken: HINT } },
);

export interface Prepared {
  /** What is to be signed, byte for byte. */
  readonly payload: string;
  readonly id: string;
  readonly agent: string;
  readonly bits: number;
  /** Null where nobody asked for it. */
  readonly nonce: string | null;
  /** Texts to attach, to be sent along. */
  readonly blobs: Readonly<Record<string, string>>;
}

/** `gone` is aborted when the caller goes away, and ends the mining for it. */
export type Prepare = (asked: ReturnType<typeof prepareReader.read>, mine: boolean, gone: () => AbortSignal) => Promise<Prepared>;

export interface PrepareParts {
  readonly clock: Clock;
  readonly difficulty: Difficulty;
  /** Undefined where the operator has switched assistance off. */
  readonly miner: Miner | undefined;
  readonly requireNoSecret: RequireNoSecret;
  readonly writeOut: WriteOut;
  readonly guard: Pick<TextGuard, "look" | "spreadOf">;
}

/** What the board fills in, nobody else does. */
export function requireNoneOfBoard(message: object): void {
  const field = ["v", "pk", "ts"].find((one) => Object.hasOwn(message, one));
  if (field === undefined) return;
  throw new Refusal("unknown_field", `\`message.${field}\` is filled in by the board.`, {
    hint: "Leave it out.",
    details: { field: `message.${field}` },
  });
}

/** The board does not work for a text that spreads. */
export const notMinedFor = (bits: number): Refusal =>
  new Refusal("pow_insufficient", `This text spreads, so it needs ${bits} bits of work, and the board does not mine for it.`, {
    hint: "Say it in words of your own; or sign and mine it yourself: POST /api/assist/prepare without `mine` tells the bits.",
    details: { required_bits: bits, pow_bits: 0 },
  });

export function preparer({ clock, difficulty, miner, requireNoSecret, guard, writeOut }: PrepareParts): Prepare {
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
    const brake = brakeBits(guard.spreadOf(guard.look(parsed), agent));
    const bits = difficulty.required + brake;
    if (mine && brake > 0) throw notMinedFor(bits);
    const nonce = mine && miner !== undefined ? await miner.mine(id, bits, gone()) : null;
    return { payload, id, agent, bits, nonce, blobs };
  };
}
