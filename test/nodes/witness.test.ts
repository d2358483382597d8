// Witnesses and several nodes: whichever node they ask, they get the same head, and a cosignature given to one node is shown by all.
import { expect, test } from "vitest";
import { sha256 } from "../../src/core/protocol/node-sha256.ts";
import { acceptCheckpoint } from "../../src/core/tlog/verify-against-policy.ts";
import { parseCheckpoint } from "../../src/core/tlog/checkpoint.ts";
import { formatSignatures, parseNote } from "../../src/core/tlog/note.ts";
import { parsePolicy } from "../../src/core/tlog/policy.ts";
import { cosignText, type Signer } from "../../src/core/tlog/signature.ts";
import { Agent } from "../support/agent.ts";
import { eventually } from "../support/eventually.ts";
import { Nodes, postTo } from "../support/nodes.ts";
import { crypto } from "../support/tlog.ts";
import { policyOf, signerNamed } from "../support/witness.ts";

test("two witnesses at two nodes cosign one head, and each node shows it with its quorum", async () => {
  const signers = ["one.test/w", "two.test/w", "three.test/w"].map((name) => signerNamed(name));
  await using nodes = await Nodes.start(2, ["--rate-limits", "off", "--witness-policy", policyOf(2, signers)]);
  const [one = "", other = ""] = nodes.urls;
  await postTo(one, new Agent().envelope({ kind: "note", body: "to be witnessed" }));
  const text = async (url: string): Promise<string> => (await fetch(url)).text();
  const forWitness = (node: string): Promise<string> => text(`${node}/tlog/checkpoint?for=witness`);
  const sizeOf = (note: string): number => parseCheckpoint(parseNote(note).text).size;
  const textOf = (note: string): string => parseNote(note).text;

  const note = await eventually("both nodes show witnesses the same head, with the entry in it", async () => {
    const [mine, theirs] = [await forWitness(one), await forWitness(other)];
    return sizeOf(mine) === 1 && textOf(mine) === textOf(theirs) ? mine : undefined;
  });
  const policy = parsePolicy(await text(`${one}/tlog/policy`), sha256);
  const unmet = acceptCheckpoint(parseNote(await text(`${one}/tlog/checkpoint`)), policy, crypto.verify);
  await expect(unmet).rejects.toThrow("quorum is not met");

  const cosign = async (node: string, signer: Signer | undefined) => {
    if (signer === undefined) throw new Error("There are three.");
    const line = formatSignatures([await cosignText(textOf(note), Math.floor(Date.now() / 1000), signer)]);
    const answer = await fetch(`${node}/tlog/cosign`, { method: "POST", headers: { "content-type": "text/plain" }, body: note + line });
    expect(answer.status).toBe(200);
  };
  await cosign(one, signers[0]);
  await cosign(other, signers[2]);
  for (const node of [one, other]) {
    const { witnesses, checkpoint } = await eventually("the quorum on each node", () =>
      text(`${node}/tlog/checkpoint`)
        .then((shown) => acceptCheckpoint(parseNote(shown), policy, crypto.verify))
        .catch(() => undefined),
    );
    expect(checkpoint.size).toBe(1);
    expect(witnesses.map(({ key }) => key.name).sort()).toEqual(["one.test/w", "three.test/w"]);
  }
});
