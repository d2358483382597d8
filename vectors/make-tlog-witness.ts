// witness.json: what a witness that begins with nothing is sent, and what it answers, one after the other.
import { formatVerifierKey } from "../src/core/tlog/key.ts";
import type { TreeHead } from "../src/core/tlog/merkle.ts";
import { planConsistency, planRoot } from "../src/core/tlog/proofs-from-tiles.ts";
import { addCheckpoint, formatAddCheckpoint, type Witnessed } from "../src/core/tlog/witness.ts";
import { crypto, logSigner, MemoryLog, seedOf, signedNote } from "../test/support/tlog.ts";
import { LOG, ORIGIN, TIME, WITNESSES } from "./make-tlog-notes.ts";
import { leafText, vectorTree } from "./make-tlog-tree.ts";

async function dialogue(): Promise<(readonly [name: string, body: string])[]> {
  const tree = vectorTree(20);
  const fork = new MemoryLog(Array.from({ length: 20 }, (_, i) => Buffer.from(i === 3 ? "another leaf" : leafText(i))));
  const note = (size: number, from = tree, log = LOG, origin = ORIGIN) => signedNote({ origin, size, root: from.ask(planRoot(size)) }, log);
  const grow = async (old: number, size: number, from = tree) =>
    formatAddCheckpoint(old, from.ask(planConsistency(old, size)), await note(size, from));
  const proof = tree.ask(planConsistency(7, 20));
  return [
    ["the empty tree", await grow(0, 0)],
    ["a first checkpoint with a proof", formatAddCheckpoint(0, proof, await note(7))],
    ["a first checkpoint", await grow(0, 7)],
    ["the same one again", await grow(7, 7)],
    ["no first one any more", await grow(0, 20)],
    ["an old size that is larger", formatAddCheckpoint(9, [], await note(8))],
    ["another history", await grow(7, 20, fork)],
    ["another root for the same size", formatAddCheckpoint(7, [], await note(7, fork))],
    ["no proof", formatAddCheckpoint(7, [], await note(20))],
    ["a proof too long", formatAddCheckpoint(7, [...proof, tree.root], await note(20))],
    ["another log", formatAddCheckpoint(7, proof, await note(20, tree, LOG, "other.example"))],
    ["another key", formatAddCheckpoint(7, proof, await note(20, tree, logSigner(ORIGIN, seedOf("other"))))],
    ["another text than was signed", (await grow(7, 20)).replace("\n20\n", "\n21\n")],
    ["no old size", (await grow(7, 20)).replace("old 7\n", "")],
    ["an old size with a zero before it", (await grow(7, 20)).replace("old 7", "old 07")],
    ["no checkpoint", "old 7\n\n"],
    ["growth", await grow(7, 20)],
    ["the old size of before", await grow(7, 20)],
  ];
}

export async function witnessFile() {
  const [witness = LOG] = WITNESSES;
  let last: TreeHead | undefined;
  const memory: Witnessed = {
    keysOf: (origin) => (origin === ORIGIN ? [LOG.key] : undefined),
    update: (_origin, _request, decide) => {
      const decision = decide(last);
      if ("head" in decision) last = decision.head;
      return decision;
    },
  };
  const steps: { readonly name: string; readonly body: string; readonly status: number; readonly answer?: string }[] = [];
  for (const [name, body] of await dialogue()) {
    const { status, body: answer } = await addCheckpoint(body, memory, [witness], () => TIME, crypto);
    // The words of other refusals are everybody's own.
    steps.push({ name, body, status, ...(status === 200 || status === 409 ? { answer } : {}) });
  }
  return {
    about:
      "Requests to add-checkpoint (C2SP, tlog-witness) of a witness that knows one log, all at one time, with the status that it answers.",
    log: formatVerifierKey(LOG.key),
    witness: formatVerifierKey(witness.key),
    time: TIME,
    steps,
  };
}
