import { expect, test } from "vitest";
import { crypto, logSigner, MemoryLog, seedOf, sha256, signedNote, witnessSigner } from "../../../test/support/tlog.ts";
import { portableSha256 } from "../protocol/portable-sha256.ts";
import { acceptCheckpoint, acceptProof } from "./verify-against-policy.ts";
import { formatVerifierKey } from "./key.ts";
import { parseNote } from "./note.ts";
import { planInclusion } from "./proofs-from-tiles.ts";
import { parsePolicy } from "./policy.ts";
import { formatProof, parseProof } from "./proof-text.ts";
import type { Signer } from "./signature.ts";

const { subtle } = globalThis.crypto;
const ORIGIN = "board.example/tlog";
const LOG = logSigner(ORIGIN);
const [W1, W2, W3] = [witnessSigner("w1.example"), witnessSigner("w2.example"), witnessSigner("w3.example")];
const MEMORY = new MemoryLog(Array.from({ length: 300 }, (_, i) => Buffer.from(`leaf ${i}`)));
const INDEX = 258;
const LEAF = MEMORY.leaves[INDEX]!;
const TIME = 1_767_225_600;

const witnessLines = [W1, W2, W3].map(({ key }, i) => `witness w${i + 1} ${formatVerifierKey(key)}`).join("\n");
const POLICY = parsePolicy(`log ${formatVerifierKey(LOG.key)}\n${witnessLines}\ngroup two 2 w1 w2 w3\nquorum two\n`, sha256);

async function receipt(witnesses: readonly Signer[] = [W1, W2], log = LOG, origin = ORIGIN): Promise<string> {
  const checkpoint = await signedNote({ origin, size: MEMORY.size, root: MEMORY.root }, log, witnesses, TIME);
  return formatProof({ extra: LEAF, index: INDEX, hashes: MEMORY.ask(planInclusion(INDEX, MEMORY.size)), checkpoint });
}

test("a receipt proves its leaf to anybody with the policy, and says who saw it and when", async () => {
  const text = await receipt();
  expect(text.split("\n").slice(0, 3)).toEqual(["c2sp.org/tlog-proof@v1", `extra ${Buffer.from(LEAF).toString("base64")}`, "index 258"]);
  for (const input of [text, Buffer.from(text)]) {
    const { checkpoint, index, witnesses } = await acceptProof(input, parseProof(input).extra ?? Buffer.of(), POLICY, crypto);
    expect([checkpoint.origin, checkpoint.size, index]).toEqual([ORIGIN, 300, INDEX]);
    expect(witnesses.map(({ key, time }) => [key.name, time])).toEqual([
      ["w1.example", TIME],
      ["w2.example", TIME],
    ]);
  }
});

test("a browser's WebCrypto, which answers later, and a SHA-256 in plain JavaScript do as well", async () => {
  const inBrowsers = {
    sha256: portableSha256,
    verify: async (publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array) => {
      const key = await subtle.importKey("raw", Uint8Array.from(publicKey), "Ed25519", false, ["verify"]);
      return subtle.verify("Ed25519", key, Uint8Array.from(signature), Uint8Array.from(message));
    },
  };
  const text = await receipt();
  expect(await acceptProof(text, LEAF, POLICY, inBrowsers)).toEqual(await acceptProof(text, LEAF, POLICY, crypto));
  const other = acceptProof(text.replace("index 258", "index 3"), LEAF, POLICY, inBrowsers);
  await expect(other).rejects.toMatchObject({ fault: "proof" });
});

test("it proves no other leaf, and proves nothing under a policy with other witnesses", async () => {
  const refused = (text: string, fault: string, leaf = LEAF, policy = POLICY) =>
    expect(acceptProof(text, leaf, policy, crypto)).rejects.toMatchObject({ name: "TlogError", fault });
  await refused(await receipt(), "proof", Buffer.from("leaf 257"));
  await refused((await receipt()).replace("index 258", "index 257"), "proof");
  await refused((await receipt()).replace("index 258", "index 300"), "proof");
  await refused(await receipt([W1]), "quorum");
  await refused(await receipt([W1, W1]), "quorum");
  await refused(await receipt([W1, witnessSigner("w2.example", seedOf("other"))]), "quorum");
  await refused(await receipt([W1, W2], logSigner(ORIGIN, seedOf("other"))), "signature");
  await refused(await receipt([W1, W2], LOG, "elsewhere.example"), "origin");
  await refused(await receipt(), "origin", LEAF, { ...POLICY, logs: [] });
});

test("no byte of it can be changed but those that nobody signed", async () => {
  const text = await receipt();
  const bytes = Buffer.from(text);
  const extra = [bytes.indexOf("extra ") + 6, bytes.indexOf("\nindex")] as const;
  // The names and ids of all but the log and two witnesses may be anybody's, but there are no others here.
  const survived: number[] = [];
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes);
    changed[at] = changed[at]! ^ 1;
    await acceptProof(changed, LEAF, POLICY, crypto).then(
      () => survived.push(at),
      (error: Error) => expect(error.name, String(at)).toBe("TlogError"),
    );
  }
  expect(survived.filter((at) => at < extra[0] || at >= extra[1])).toEqual([]);
});

// A checkpoint as the staging log arche2025h1 of transparency.dev published it, with the lines of the public witness network: signatures
// by keys and programs that are not ours, among them one of a type that is not known here under the log's own name.
const PUBLIC_NOTE = `arche2025h1.staging.ct.transparency.dev
1432088532
U7WM79jrzyhGZ5/GUBTpM7NzwdyfFx61t3RovgcC4Ro=

\u2014 arche2025h1.staging.ct.transparency.dev zTM8sQAAAZ5W0WdjBAMARjBEAiBjW5IQf9pvsYLfQFX6hoGREPMHbdQ3urbllzalApkptQIgIpwtEroeW2BXaHAI4kJXFbon5Ch9MNL5zRNZ55lvGt0=
\u2014 arche2025h1.staging.ct.transparency.dev ui8GwCF1+kWqZrxGdhj4aX3gcw7XUlXQQabg/27lefwhUkzbC3NygNI75MdhL1bfTW9g8Ei59RA23oHP7Ry1k3ZFWwQ=
\u2014 transparency.dev/DEV:witness-little-garden 2AQqhwAAAABqEiEgzgFIqqhbUoDwjMWE6UP8nd8/KYTzwZ2rhIgcqoXHAwVkjZr4AscylP3v7sEodkRAErumC2q44vdgJY096st5BQ==
\u2014 witness1.smartit.nu/witness1 pIyCDwAAAABqEiEghIp82KWebrw7/oHQwlTAm3g2RKS4+eebl8eO0WH+/iEcxZ75W3u5hNI7TOQtmJbqmNWVuE0tgh0XwzdZsDsUAQ==
\u2014 remora.n621.de 2net5wAAAABqEiEgPlfF3V06o0Y+fHM+J5J9s27wgxxcOVSpZ/2g/KSiXCg9DEZI+aVCIobWX9sXTynk5XeU/zZ0WBxtqB0DrAWfBw==
\u2014 witness.stagemole.eu Z/euoAAAAABqEiEgw0i+7g2ENfDAWHmtRzCfKTHSDwYDJA2NmKeGi9Y8FtEyOUvVr+AJmIY/2TUFucgKi7lI7cUiOvKFYe/TmN9DAg==
`;
const PUBLIC_POLICY = `log arche2025h1.staging.ct.transparency.dev+ba2f06c0+AU0vHmlGCS/PdN8b2OaGmKprLI8HKM+dJ472xgFYh15f
witness smartit witness1.smartit.nu/witness1+a48c820f+BPSFWg9G6KPiO7QPryYO5Xq4oYJJ+kAvLKLSimDhoxMO
witness remora remora.n621.de+da77ade7+BOvN63jn/bLvkieywe8R6UYAtVtNbZpXh34x7onlmtw2
witness stagemole witness.stagemole.eu+67f7aea0+BEqSG3yu9YrmcM3BHvQYTxwFj3uSWakQepafafpUqklv
witness navigli witness.navigli.sunlight.geomys.org+a3e00fe2+BNy/co4C1Hn1p+INwJrfUlgz7W55dSZReusH/GhUhJ/G
group three 3 smartit remora stagemole navigli
quorum three
`;

test("a checkpoint that the public witness network cosigned is accepted, and not one bit of another", async () => {
  const { checkpoint, witnesses } = await acceptCheckpoint(parseNote(PUBLIC_NOTE), parsePolicy(PUBLIC_POLICY, sha256), crypto.verify);
  expect(checkpoint.size).toBe(1_432_088_532);
  expect(witnesses.map(({ key, time }) => [key.name, time])).toEqual([
    ["witness1.smartit.nu/witness1", 1_779_573_024],
    ["remora.n621.de", 1_779_573_024],
    ["witness.stagemole.eu", 1_779_573_024],
  ]);
  const other = parseNote(PUBLIC_NOTE.replace("1432088532", "1432088533"));
  await expect(acceptCheckpoint(other, parsePolicy(PUBLIC_POLICY, sha256), crypto.verify)).rejects.toMatchObject({ fault: "signature" });
  const all = parsePolicy(PUBLIC_POLICY.replace("group three 3", "group three all"), sha256);
  await expect(acceptCheckpoint(parseNote(PUBLIC_NOTE), all, crypto.verify)).rejects.toMatchObject({ fault: "quorum" });
});

test("proofs of one leaf have no path, and come back as they were", () => {
  const proof = { index: 0, hashes: [], checkpoint: "not looked at yet" };
  expect(formatProof(proof)).toBe("c2sp.org/tlog-proof@v1\nindex 0\n\nnot looked at yet");
  expect(parseProof(formatProof(proof))).toEqual(proof);
});

const GOOD = `c2sp.org/tlog-proof@v1\nextra YQ==\nindex 5\n${"A".repeat(43)}=\n\na\n`;

// Among them those of transparency-dev/formats (proof/tlog_proof_test.go).
test.for([
  ["", "no empty line"],
  ["wrong-header\nindex 0\n\ncheckpoint\n", "The first line"],
  ["c2sp.org/tlog-proof@v2\nindex 0\n\ncheckpoint\n", "The first line"],
  ["c2sp.org/tlog-proof@v1\nextra !!notbase64!!\nindex 0\n\ncheckpoint\n", "extra line of a proof is not base64"],
  ["c2sp.org/tlog-proof@v1\n\n\ncheckpoint\n", "no line `index"],
  ["c2sp.org/tlog-proof@v1\nindex notanumber\n\ncheckpoint\n", "whole number"],
  ["c2sp.org/tlog-proof@v1\nindex -5\n\ncheckpoint\n", "whole number"],
  ["c2sp.org/tlog-proof@v1\nindex 0\n!!notbase64!!\n\ncheckpoint\n", "hash of the proof is not base64"],
  [`c2sp.org/tlog-proof@v1\nindex 0\n${"A".repeat(86)}==\n\ncheckpoint\n`, "32 bytes, not 64"],
  [`c2sp.org/tlog-proof@v1\nindex 0\n${"a".repeat(65 * 1024)}\n`, "no empty line"],
  [GOOD.replace("index 5", "index 05"), "leading zeros"],
  [GOOD.replace("index 5", "index  5"), "whole number"],
  [GOOD.replace("extra YQ==", "extra "), "to be left out"],
  [GOOD.replace("extra YQ==", "extra YR=="), "unused bits"],
  [GOOD.replace("extra YQ==", "extra YQ==\nextra YQ=="), "no line `index"],
  [GOOD.replace("\nindex 5", "\nIndex 5"), "no line `index"],
  [GOOD.replace("\n\n", "\r\n\r\n"), "no empty line"],
  [GOOD.replace("index 5\n", `index 5\n${`${"A".repeat(43)}=\n`.repeat(63)}`), "at most 63 hashes"],
  [GOOD.replace("YQ==", "A".repeat(131_072)), "longer than 131072 characters"],
  ["a".repeat(500_000), "longer than 397312 bytes"],
])("%# is no proof: %j", ([text = "", why = ""]) => {
  expect(parseProof(GOOD).hashes.length).toBe(1);
  expect(() => parseProof(text)).toThrow(why);
});
