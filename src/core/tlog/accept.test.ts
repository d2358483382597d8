import { expect, test } from "vitest";
import { crypto, logSigner, MemoryLog, seedOf, sha256, signedNote, witnessSigner } from "../../../test/support/tlog.ts";
import { acceptProof } from "./accept.ts";
import { formatVerifierKey } from "./key.ts";
import { planInclusion } from "./plan.ts";
import { parsePolicy } from "./policy.ts";
import { formatProof, parseProof } from "./proof-text.ts";
import type { Signer } from "./signature.ts";

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

test("a receipt proves its leaf to whoever has the policy, and says who saw it when", async () => {
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

test("it proves no other leaf, and nothing to whoever trusts others", async () => {
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
