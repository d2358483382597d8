import { expect, test } from "vitest";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import { signerNamed } from "../../../test/support/witness.ts";
import { holdsEd25519 } from "../../adapters/system/verify-ed25519.ts";
import { Refusal } from "../../core/errors.ts";
import { formatCheckpoint } from "../../core/tlog/checkpoint.ts";
import { formatNote, formatSignatures } from "../../core/tlog/note.ts";
import { cosignText } from "../../core/tlog/signature.ts";
import { atTheCostOf, type Share } from "../../ports/cpu-slices.ts";
import { SignedHead } from "./cosigned-head.ts";
import { cosigner } from "./cosigning.ts";

const HEADS = 20;
const unused = (): never => {
  throw new Error("A stored head needs nothing of the log.");
};

/** A log that has stored these heads, newest first, and knows one witness; `checks` counts the signatures that were verified. */
function stored() {
  const witness = signerNamed("one.test/w");
  const cosignable = Array.from({ length: HEADS }, (_, n) => {
    const checkpoint = { origin: "board.test/tlog", size: HEADS - n, root: new Uint8Array(32).fill(n) };
    return new SignedHead(checkpoint, formatCheckpoint(checkpoint), [], "", 0);
  });
  let checks = 0;
  const cosign = cosigner({
    heads: { cosignable, keys: unused, has: unused, isRecent: unused, adopt: unused, onShown: () => {}, showToo: unused },
    log: { entries: unused },
    policy: { logs: [], witnesses: [{ key: witness.key, name: "one" }], quorum: { witness: witness.key } },
    verify: (...given) => {
      checks++;
      return holdsEd25519(...given);
    },
    clock: new ManualClock(),
    peers: undefined,
  });
  const lineFor = async (text: string) => formatSignatures([await cosignText(text, 1, witness)]);
  return { cosign, cosignable, lineFor, checks: () => checks };
}

/** A caller that can pay for this many slices; counts them, and the turns that others got between them. */
function callerWith(slices: number) {
  const counted = { slices: 0, turns: 0 };
  const share: Share = {
    lane: "one",
    spend() {
      if (++counted.slices > slices) throw new Refusal("rate_limited");
    },
    rest: () => (counted.turns++, 0),
  };
  return { counted, pays: <Result>(work: () => Promise<Result>) => atTheCostOf(share, work) };
}

test("a cosignature that fits no head is compared with one head at a time: each is paid for, and others have a turn after it", async () => {
  const { cosign, lineFor, checks } = stored();
  const { counted, pays } = callerWith(HEADS);
  const wrong = await lineFor("another\n1\nhead\n");
  await expect(pays(() => cosign(wrong))).rejects.toMatchObject({ code: "bad_signature" });
  expect([checks(), counted]).toEqual([HEADS, { slices: HEADS, turns: HEADS }]);
});

test("a caller that has used up its share is refused after the next head, and nothing more is compared for it", async () => {
  const { cosign, lineFor, checks } = stored();
  const { pays } = callerWith(2);
  const wrong = await lineFor("another\n1\nhead\n");
  await expect(pays(() => cosign(wrong))).rejects.toMatchObject({ code: "rate_limited" });
  expect(checks()).toBe(3);
});

test("a whole note with the same cosignature many times over is paid for too, and cosigns its head once", async () => {
  const { cosign, cosignable, lineFor, checks } = stored();
  const [head] = cosignable;
  const note = formatNote({ text: head!.text, signatures: [] }) + (await lineFor(head!.text)).repeat(60);
  const poor = callerWith(0);
  await expect(poor.pays(() => cosign(note))).rejects.toMatchObject({ code: "rate_limited" });
  expect(head!.witnesses).toHaveLength(0);
  const { counted, pays } = callerWith(1);
  expect(await pays(() => cosign(note))).toEqual({ size: HEADS, added: 1, witnesses: 1 });
  expect([checks(), counted.slices]).toEqual([120, 1]);
});
