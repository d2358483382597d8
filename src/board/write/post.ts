// The write path, top to bottom: Draft, Verified, Admitted, posted.
import { Refusal } from "../../core/errors.ts";
import { blockedBlob, blockedKey } from "../../core/message/block-lists.ts";
import { endedRefusal } from "../../core/message/post.ts";
import { storedBytes } from "../../core/message/stored-bytes.ts";
import { utf8Length } from "../../core/protocol/encoding.ts";
import { type Draft, draftOf, type Envelope } from "../../core/protocol/envelope.ts";
import type { Payload } from "../../core/protocol/payload.ts";
import { retractsAll } from "../../core/protocol/vocabulary.ts";
import type { Clock } from "../../ports/clock.ts";
import { nextSlice, slice } from "../../ports/cpu-slices.ts";
import type { ListReads, MessageReads, Precheck } from "../../ports/store.ts";
import { alternativesFinder } from "../read/alternatives-to-claimed-work.ts";
import type { Append } from "./append.ts";
import type { Difficulty } from "./difficulty.ts";
import type { Quota } from "./storage-quota.ts";
import {
  type CheckedPost,
  type Entering,
  type MayEnter,
  type PostResult,
  postedOf,
  type PostingHow,
  type PostSteps,
} from "./post-steps.ts";
import { rehearser } from "./dry-run-many.ts";
import { takeStored } from "./pay-for-stored.ts";
import { isLong, type Verifier } from "./verify.ts";
import type { Admitted } from "../../core/message/acts-and-outcomes.ts";
import type { Arrival } from "../../core/message/message-state.ts";
import type { RateLimiter } from "../limits/rate.ts";
import type { TextGuard } from "./text-guard.ts";

/** The services that all signed operations need to be stored. */
export interface WritingParts {
  readonly store: MessageReads & ListReads;
  readonly clock: Clock;
  /** The board's own agent id, which operations for one board must name. */
  readonly board: string;
  readonly verifier: Verifier;
  readonly rates: RateLimiter;
  readonly difficulty: Difficulty;
  readonly append: Append;
  readonly guard: TextGuard;
  readonly quota: Pick<Quota, "require" | "add">;
  /** Throws if nothing may be written at the moment. */
  readonly requireWritable: () => void;
}

/** More than a retraction with a few words of explanation takes. */
const RETRACTION_BYTES = 8 * 1024;

export type Post = (envelope: Envelope, how: PostingHow) => Promise<PostResult>;

export function poster({ draft, check, enter }: PostSteps): Post {
  return async (envelope, how) => {
    // To read a long body has taken its time already.
    if (isLong(envelope)) await nextSlice();
    return enter(await check(draft(envelope, how), how));
  };
}

export function postSteps(parts: WritingParts): PostSteps {
  const { store, clock, board, verifier, rates, difficulty, append, guard, quota, requireWritable } = parts;
  const pointedElsewhere = pointer(alternativesFinder(store, clock));

  function draft(envelope: Envelope, { dryRun = false }: PostingHow): Draft {
    requireWritable();
    const made = slice(() => draftOf(envelope, dryRun));
    requireAudience(made.payload, board);
    return made;
  }

  async function check(made: Draft, how: PostingHow): Promise<CheckedPost> {
    const { id, author, payload } = made;
    const hashes = (payload.attachments ?? []).map((one) => one.sha256);
    const precheck = withLent(await store.precheck(id, author, hashes, clock.now()), how);
    if (precheck.known !== undefined || precheck.tombstone?.restored === false) return { draft: made, how, precheck };
    if (!freesSpace(made)) quota.require(storedBytes(made.payload, bytesOf(made)));
    return { draft: made, how, precheck, verified: await verifier.verify(made, precheck, how.dryRun === true, how.terms) };
  }

  async function enter(checked: CheckedPost): Promise<PostResult> {
    if (!("verified" in checked)) return known(checked.draft, checked.precheck);
    const { draft: made, how } = checked;
    const { dryRun = false } = how;
    const bytes = storedBytes(made.payload, bytesOf(made));
    const { arrival, brake, takeBack } = admitted(checked);
    const giveBack = dryRun ? () => {} : bytesTaken(rates, checked, bytes, takeBack);
    // Durable from here on: the outcome arrives after the commit.
    const outcome = await append({ type: "post", arrival, dryRun }).catch(async (error: unknown) => {
      giveBack();
      takeBack();
      throw await pointedElsewhere(error, made.author);
    });
    if (!dryRun) await endWithdrawn(made);
    const { result } = outcome;
    // The additional bits for a spreading text give no discount.
    const tokens = result === "created" ? difficulty.accepted(outcome.state.bits - brake, 1, how.terms?.required) : 1;
    if (result === "created") quota.add(bytes);
    else giveBack();
    return postedOf(checked, arrival, outcome, { tokens, brake, payer: checked.precheck.payer }, store.seenOf);
  }

  /** From a verified message to an admitted one: checks the operator's block lists, then the agent's rate limit. */
  function admitted({ verified, precheck, how: { dryRun = false, assisted = false, terms } }: MayEnter): Entering {
    const { id, author, envelope, payload, bits, looked } = verified;
    const { payer } = precheck;
    // Whether the text spreads is checked again, because posts that were checked at the same time may have the same text.
    const brake = verifier.requireWorkStill(verified, payer, dryRun, terms);
    if (precheck.keyBlocked) throw blockedKey(author);
    const [blocked] = precheck.blockedBlobs;
    if (blocked !== undefined) throw blockedBlob(blocked);
    // A dry run writes nothing, so only the address pays for it, not the agent.
    if (!dryRun) rates.take("agent_writes", payer);
    const { payload: text, sig, nonce, blobs = {} } = envelope;
    const { noticed, takeBack } = guard.enter(looked, payer, dryRun);
    const arrival: Arrival = { id, author, payload, raw: { payload: text, sig, nonce }, bits, assisted, blobs, noticed };
    return { arrival: arrival as Admitted, takeBack, brake };
  }

  /** A repeated payload is the same message, whatever its time and nonce, if the signature is valid. */
  async function known(draft: Draft, precheck: Precheck): Promise<PostResult> {
    if (precheck.known?.sig !== draft.envelope.sig) await verifier.requireSignature(draft);
    if (precheck.tombstone !== undefined) throw endedRefusal(precheck.tombstone);
    const found = await store.find(draft.id, clock.now());
    if (found === undefined) throw new Refusal("expired");
    if ("tombstone" in found) throw endedRefusal(found.tombstone);
    await endWithdrawn(draft);
    return { result: "exists", stored: found.stored, warnings: [], tokens: 1, brake: 0, payer: precheck.payer };
  }

  /**
   * A withdrawal of everything is answered when all messages have ended; posts of others are stored in between.
   * After a crash in the middle the sweep continues with the rest at the next start.
   */
  async function endWithdrawn({ author, payload }: Draft): Promise<void> {
    for (let more = retractsAll(payload); more;) ({ more } = await append({ type: "withdrawal", agent: author }));
  }

  return { draft, check, enter, rehearse: rehearser({ append, admitted, known, pointedElsewhere }) };
}

const NOTHING_ELSE =
  "There is no other open work that fits you. Wait for some: /api/work?wait=30. This one is free again at `details.lease_until` at the latest.";

/** A caller whose claim came too late is shown other work. */
const pointer =
  (findAlternatives: ReturnType<typeof alternativesFinder>) =>
  async (error: unknown, agent: string): Promise<unknown> => {
    if (!(error instanceof Refusal) || error.code !== "already_claimed") return error;
    const { code, message, details } = error;
    const alternatives = await findAlternatives(agent, String(details?.["id"]));
    const hint = alternatives.length === 0 ? NOTHING_ELSE : error.hint;
    return new Refusal(code, message, { hint, details: { ...details, alternatives } });
  };

/** A post that is refused by the quota was not posted, so its text does not count as a copy. */
function bytesTaken(rates: RateLimiter, { precheck, how }: MayEnter, bytes: number, takeBack: () => void): () => void {
  try {
    return takeStored(rates, { payer: precheck.payer, bytes, payForStored: how.payForStored });
  } catch (error) {
    takeBack();
    throw error;
  }
}

/** The facts, including the texts that earlier posts of a dry run bring. */
const withLent = (precheck: Precheck, { lent }: PostingHow): Precheck =>
  lent === undefined ? precheck : { ...precheck, storedBlobs: new Map([...lent, ...precheck.storedBlobs]) };

/** The bytes of a message: its payload and its attachments. */
const bytesOf = ({ envelope: { payload, blobs = {} } }: Draft): number =>
  Object.values(blobs).reduce((sum, text) => sum + utf8Length(text), utf8Length(payload));

/** A retraction frees space, so the quota does not apply, unless it brings more than a retraction needs. */
const freesSpace = (made: Draft): boolean => made.payload.kind === "retraction" && bytesOf(made) <= RETRACTION_BYTES;

/** A withdrawal of everything must name the board, so that it cannot be replayed on another one. */
function requireAudience(payload: Payload, board: string): void {
  if (!retractsAll(payload) || payload.data?.["board"] === board) return;
  const named = payload.data?.["board"];
  const words =
    named === undefined
      ? "A retraction of everything must name its board in `data.board`."
      : `\`data.board\` is not this board, which is ${board}.`;
  throw new Refusal("kind_requirements", words, {
    hint: `Set \`data\` to {"scope":"all","board":"${board}"}: \`board\` is the one in /api/checkpoint.`,
    details: { board },
  });
}
