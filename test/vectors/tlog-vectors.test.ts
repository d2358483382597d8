// The vectors for transparency logs, compared with the library that they are made from and with a reader in another language.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { acceptProof } from "../../src/core/tlog/verify-against-policy.ts";
import { fromBase64, toBase64 } from "../../src/core/tlog/base64.ts";
import { decodeFrontier, rootOf } from "../../src/core/tlog/frontier.ts";
import { formatVerifierKey, parseVerifierKey } from "../../src/core/tlog/key.ts";
import { leafHash, requireConsistency, requireInclusion } from "../../src/core/tlog/merkle.ts";
import { parseNote } from "../../src/core/tlog/note.ts";
import { isMet, parsePolicy } from "../../src/core/tlog/policy.ts";
import { verifiedSignatures } from "../../src/core/tlog/signature.ts";
import { parseTilePath } from "../../src/core/tlog/tile.ts";
import { TlogError } from "../../src/core/tlog/tlog-error.ts";
import type { notesFile } from "../../vectors/make-tlog-notes.ts";
import type { proofsFile } from "../../vectors/make-tlog-proofs.ts";
import type { treeFile } from "../../vectors/make-tlog-tree.ts";
import { tlogTexts } from "../../vectors/tlog-files.ts";
import { naiveConsistency, naiveInclusion, naiveRoot } from "../support/naive-tree.ts";
import { CLIENT_DIRECTORY, runPython } from "../support/python.ts";
import { crypto, logSigner, sha256, witnessSigner } from "../support/tlog.ts";

const DIRECTORY = join(import.meta.dirname, "../../vectors/tlog");
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the shape of a file it knows.
const read = <T>(name: string): T => JSON.parse(readFileSync(join(DIRECTORY, name), "utf8")) as T;

test("the files are what the library writes; after changing it, run `npm run vectors`", async () => {
  const made = await tlogTexts();
  expect(
    readdirSync(DIRECTORY)
      .filter((name) => name.endsWith(".json"))
      .sort(),
  ).toEqual(made.map(([name]) => name).sort());
  for (const [name, text] of made) expect(readFileSync(join(DIRECTORY, name), "utf8") === text, name).toBe(true);
});

const faultOf = async (act: () => unknown): Promise<string | null> => {
  try {
    await act();
    return null;
  } catch (error) {
    if (error instanceof TlogError) return error.fault;
    throw error;
  }
};
const raw = (text: string): Uint8Array => fromBase64(text, "It");

describe("tree.json", () => {
  const { roots, inclusion, consistency, tiles } = read<Awaited<ReturnType<typeof treeFile>>>("tree.json");
  const leaves = Array.from({ length: 600 }, (_, i) => Buffer.from(`leaf ${i}`));

  test("has the roots and the proofs of the naive tree", () => {
    for (const { size, root, frontier } of roots) {
      const naive = toBase64(naiveRoot(leaves.slice(0, size)));
      expect([root, toBase64(rootOf(decodeFrontier(raw(frontier)), sha256))]).toEqual([naive, naive]);
    }
    for (const { size, index, proof, holds } of inclusion)
      if (holds) expect(proof).toEqual(naiveInclusion(index, leaves.slice(0, size)).map(toBase64));
    for (const { older, newer, proof, holds } of consistency)
      if (holds && older.size > 0) expect(proof).toEqual(naiveConsistency(older.size, leaves.slice(0, newer.size)).map(toBase64));
    for (const { path } of tiles) parseTilePath(path);
  });

  test("says for every proof whether it is valid", async () => {
    for (const { name, size, root, index, leaf, proof, holds } of inclusion) {
      const check = () => requireInclusion({ size, root: raw(root) }, index, leafHash(Buffer.from(leaf), sha256), proof.map(raw), sha256);
      expect([name, await faultOf(check)]).toEqual([name, holds ? null : "proof"]);
    }
    for (const { name, older, newer, proof, holds } of consistency) {
      const [old, next] = [older, newer].map(({ size, root }) => ({ size, root: raw(root) }));
      const check = () => old && next && requireConsistency(old, next, proof.map(raw), sha256);
      expect([name, await faultOf(check)]).toEqual([name, holds ? null : "proof"]);
    }
  });
});

test("notes.json says for every note whose signatures count, and its keys come from their seeds", async () => {
  const { keys, bad_vkeys: badKeys, notes } = read<Awaited<ReturnType<typeof notesFile>>>("notes.json");
  const known = keys.map(({ name, type, seed, vkey }) => {
    const { key } = (type === 1 ? logSigner : witnessSigner)(name, Buffer.from(seed, "hex"));
    expect(formatVerifierKey(key)).toBe(vkey);
    return parseVerifierKey(vkey, sha256);
  });
  for (const vkey of badKeys) expect([vkey, await faultOf(() => parseVerifierKey(vkey, sha256))]).toEqual([vkey, "malformed"]);
  for (const { name, note, signed, fault } of notes) {
    let found: readonly string[] | null = null;
    const check = async () => {
      found = (await verifiedSignatures(parseNote(note), known, crypto.verify)).map(({ key }) => key.name);
    };
    expect([name, await faultOf(check), found]).toEqual([name, fault, signed]);
  }
});

test("proofs.json says for every policy what meets it, and for every proof its first fault", async () => {
  const { policies, policy, proofs } = read<Awaited<ReturnType<typeof proofsFile>>>("proofs.json");
  for (const { name, policy: text, met } of policies) {
    if (met === null) {
      expect([name, await faultOf(() => parsePolicy(text, sha256))]).toEqual([name, "malformed"]);
      continue;
    }
    const { quorum, witnesses } = parsePolicy(text, sha256);
    const keys = witnesses.map(({ key }) => key);
    for (const { signed, met: expected } of met)
      expect([
        name,
        signed,
        isMet(
          quorum,
          keys.filter((key) => signed.includes(key.name)),
        ),
      ]).toEqual([name, signed, expected]);
  }
  const trusted = parsePolicy(policy, sha256);
  for (const { name, leaf, proof, fault } of proofs)
    expect([name, await faultOf(() => acceptProof(proof, Buffer.from(leaf), trusted, crypto))]).toEqual([name, fault]);
});

test("a reader in Python, written from the specifications, finds the same in all files", async () => {
  const { code, stderr } = await runPython(["-W", "error", "-m", "unittest", "test_tlog"], { cwd: CLIENT_DIRECTORY });
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringMatching(/OK\n$/) as string });
});
