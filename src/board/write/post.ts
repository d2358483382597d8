// The write path, top to bottom: Draft, Verified, Admitted, posted.
import { Refusal } from "../../core/errors.ts";
import { knownGone } from "../../core/message/post.ts";
import { utf8Length } from "../../core/protocol/encoding.ts";
import { type Draft, draftOf, type Envelope } from "../../core/protocol/envelope.ts";
import type { Payload } from "../../core/protocol/payload.ts";
import { retractsAll } from "../../core/protocol/vocabulary.ts";
import type { Warning } from "../../core/warnings.ts";
import type { Clock } from "../../ports/clock.ts";
import { slice } from "../../ports/share.ts";
import type { StoredMessage, ListReads, MessageReads, Prior } from "../../ports/store.ts";
import { admit } from "./admit.ts";
import { alternativesFinder } from "../read/alternatives.ts";
import type { Append } from "./append.ts";
import type { Difficulty } from "./difficulty.ts";
import type { RateLimiter } from "../limits/rate.ts";
import type { Quota } from "./quota.ts";
import type { TextGuard } from "./text-guard.ts";
import type { Verifier } from "./verify.ts";

export interface Posted {
  readonly result: "created" | "exists" | "valid";
  /** With what its payload says, where the post was new. */
  readonly card: StoredMessage & { readonly payload?: Payload };
  readonly warnings: readonly Warning[];
  /** What it takes of its address's writes. */
  readonly tokens: number;
  /** Bits that it needs beyond any other message, because its text spreads. */
  readonly brake: number;
}

/** What everything signed goes through on its way into the store. */
export interface WritingParts {
  readonly store: MessageReads & ListReads;
  readonly clock: Clock;
  /** The board's own agent id: what is meant for one board names it. */
  readonly board: string;
  readonly verifier: Verifier;
  readonly rates: RateLimiter;
  readonly difficulty: Difficulty;
  readonly append: Append;
  readonly guard: TextGuard;
  readonly quota: Pick<Quota, "require" | "add">;
  /** Throws where nothing may be written at the moment. */
  readonly requireWritable: () => void;
}

/** `assisted`: the board signed it for its author. */
export type Post = (envelope: Envelope, how: { readonly dryRun?: boolean; readonly assisted?: boolean }) => Promise<Posted>;

export function poster({ store, clock, board, verifier, rates, difficulty, append, guard, quota, requireWritable }: WritingParts): Post {
  const findAlternatives = alternativesFinder(store, clock);
  return async (envelope, { dryRun = false, assisted = false }) => {
    requireWritable();
    const draft = slice(() => draftOf(envelope, dryRun));
    requireAudience(draft.payload, board);
    const bytes = bytesOf(draft);
    // Who takes something away makes room.
    if (draft.payload.kind !== "retraction") quota.require(bytes);
    const prior = await store.prior(
      draft.id,
      draft.author,
      (draft.payload.attachments ?? []).map((one) => one.sha256),
      clock.now(),
    );
    if (prior.known !== undefined || (prior.gone !== undefined && !prior.gone.restored)) return known(draft, prior);
    const verified = await verifier.verify(draft, prior, dryRun);
    const { arrival, takeBack } = admit(verified, prior, rates, guard, { dryRun, assisted });
    const giveBack = dryRun ? () => {} : rates.takeBytes("agent_bytes", draft.author, bytes);
    // Durable from here: the outcome comes after the commit that holds the message.
    const outcome = await append({ type: "post", arrival, dryRun }).catch(async (error: unknown) => {
      giveBack();
      takeBack();
      throw await pointedElsewhere(error, draft.author);
    });
    if (!dryRun) await endWithdrawn(draft);
    const { result, standing, warnings, author, thread } = outcome;
    const { brake, looked } = verified;
    // What it proved because it spreads buys nothing.
    const tokens = result === "created" ? difficulty.accepted(standing.bits - brake) : 1;
    if (result === "created") quota.add(bytes);
    else giveBack();
    const card = { standing, raw: arrival.raw, author, thread, payload: arrival.payload, seen: { flags: looked.flags } };
    return { result, card, warnings, tokens, brake };
  };

  /** Who comes too late for one piece of work is shown others. */
  async function pointedElsewhere(error: unknown, agent: string): Promise<unknown> {
    if (!(error instanceof Refusal) || error.code !== "already_claimed") return error;
    const { code, message, hint, details } = error;
    return new Refusal(code, message, {
      hint,
      details: { ...details, alternatives: await findAlternatives(agent, String(details?.["id"])) },
    });
  }

  /** The same payload again is the same message, whatever its time and nonce, if its author signed it. */
  async function known(draft: Draft, prior: Prior): Promise<Posted> {
    if (prior.known?.sig !== draft.envelope.sig) await verifier.requireSignature(draft);
    if (prior.gone !== undefined) throw knownGone(prior.gone);
    const found = await store.find(draft.id, clock.now());
    if (found === undefined) throw new Refusal("expired");
    if ("gone" in found) throw knownGone(found.gone);
    await endWithdrawn(draft);
    return { result: "exists", card: found.card, warnings: [], tokens: 1, brake: 0 };
  }

  /**
   * Who withdraws everything is answered when all of it has ended, with posts of others in between.
   * A crash in the middle leaves a note of the rest; the sweep goes on with it at the next start.
   */
  async function endWithdrawn({ author, payload }: Draft): Promise<void> {
    for (let more = retractsAll(payload); more;) ({ more } = await append({ type: "withdrawal", agent: author }));
  }
}

/** What of a message is kept: its payload, and the texts that came with it. */
const bytesOf = ({ envelope: { payload, blobs = {} } }: Draft): number =>
  Object.values(blobs).reduce((sum, text) => sum + utf8Length(text), utf8Length(payload));

/** Who withdraws everything says on which board: what was signed for one must not work on another. */
function requireAudience(payload: Payload, board: string): void {
  if (!retractsAll(payload) || payload.data?.["board"] === board) return;
  throw new Refusal("kind_requirements", "A retraction of everything names the board it is meant for, in `data.board`.", {
    hint: `Set \`data\` to {"scope":"all","board":"${board}"}: \`board\` is that of /api/checkpoint.`,
    details: { board },
  });
}
