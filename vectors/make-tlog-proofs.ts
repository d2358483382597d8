// proofs.json: policies with their quorums, and proofs that are checked without a connection against one of them.
import { toBase64 } from "../src/core/tlog/base64.ts";
import { formatVerifierKey } from "../src/core/tlog/key.ts";
import { planInclusion } from "../src/core/tlog/proofs-from-tiles.ts";
import { formatProof } from "../src/core/tlog/proof-text.ts";
import type { Signer } from "../src/core/tlog/signature.ts";
import type { Fault } from "../src/core/tlog/tlog-error.ts";
import { logSigner, seedOf, signedNote, witnessSigner } from "../test/support/tlog.ts";
import { LOG, ORIGIN, TIME, WITNESSES } from "./make-tlog-notes.ts";
import { leafText, vectorTree } from "./make-tlog-tree.ts";

const [W1 = LOG, W2 = LOG, W3 = LOG] = WITNESSES;
const vkey = ({ key }: Signer): string => formatVerifierKey(key);
const KNOWN = `log ${vkey(LOG)}\n${WITNESSES.map((one, i) => `witness w${i + 1} ${vkey(one)}\n`).join("")}`;
const POLICY = `${KNOWN}group two 2 w1 w2 w3\nquorum two\n`;

interface QuorumCase {
  readonly name: string;
  readonly policy: string;
  /** Which of the witnesses' keys are enough together; null where the policy is malformed. */
  readonly met: readonly { readonly signed: readonly string[]; readonly met: boolean }[] | null;
}

const SIGNED = [
  [],
  ["w1.example"],
  ["w2.example"],
  ["w1.example", "w2.example"],
  ["w1.example", "w3.example"],
  ["w1.example", "w2.example", "w3.example"],
];

function policyCases(): QuorumCase[] {
  const good = (name: string, rest: string, isMet: (signed: readonly string[]) => boolean): QuorumCase => ({
    name,
    policy: KNOWN + rest,
    met: SIGNED.map((signed) => ({ signed, met: isMet(signed) })),
  });
  const bad = (name: string, policy: string): QuorumCase => ({ name, policy, met: null });
  return [
    good("nobody is needed", "quorum none\n", () => true),
    good("one witness", "quorum w2\n", (signed) => signed.includes("w2.example")),
    good("any of three", "group a any w1 w2 w3\nquorum a\n", (signed) => signed.length > 0),
    good("two of three", "group a 2 w1 w2 w3\nquorum a\n", (signed) => signed.length > 1),
    good("all of three", "group a all w1 w2 w3\nquorum a\n", (signed) => signed.length > 2),
    good(
      "groups of groups, tabs and remarks",
      " # one of two, and the third\n\tgroup\ta any w1  w2\n\ngroup b all a w3 \nquorum b\n",
      (signed) => signed.length > 1 && signed.includes("w3.example"),
    ),
    bad("no quorum", KNOWN),
    bad("two quorums", `${KNOWN}quorum none\nquorum w1\n`),
    bad("no newline at the end", `${KNOWN}quorum none`),
    bad("an unknown word", `${KNOWN}quorums none\n`),
    bad("an unknown name", `${KNOWN}quorum w4\n`),
    bad("a name that is defined below", `${KNOWN}quorum a\ngroup a any w1\n`),
    bad("a name twice", `${KNOWN}group w1 any w2\nquorum none\n`),
    bad("a member of two groups", `${KNOWN}group a any w1\ngroup b any w1\nquorum a\n`),
    bad("none as a member", `${KNOWN}group a any none\nquorum a\n`),
    bad("four of three", `${KNOWN}group a 4 w1 w2 w3\nquorum a\n`),
    bad("none of three", `${KNOWN}group a 0 w1 w2 w3\nquorum a\n`),
    bad("a group of nobody", `${KNOWN}group a all\nquorum a\n`),
    bad("one key under two names", `${KNOWN}witness w4 ${vkey(witnessSigner("w4.example", seedOf("w1.example")))}\nquorum none\n`),
    bad("a log's key for a witness", `${KNOWN}witness w4 ${vkey(logSigner("w4.example"))}\nquorum none\n`),
    bad("a witness' key for a log", `${KNOWN}log ${vkey(witnessSigner("w4.example"))}\nquorum none\n`),
    bad("carriage returns", `${KNOWN}quorum none\r\n`),
  ];
}

interface ProofCase {
  readonly name: string;
  readonly leaf: string;
  readonly proof: string;
  readonly fault: Fault | null;
}

async function proofCases(): Promise<ProofCase[]> {
  const [size, index] = [300, 258];
  const tree = vectorTree(size);
  const made = async (witnesses: readonly Signer[], log = LOG, origin = ORIGIN): Promise<string> => {
    const checkpoint = await signedNote({ origin, size, root: tree.root }, log, witnesses, TIME);
    return formatProof({ extra: Buffer.from(leafText(index)), index, hashes: tree.ask(planInclusion(index, size)), checkpoint });
  };
  const proof = await made([W1, W2]);
  const one = (name: string, fault: Fault | null, text: string, leaf = leafText(index)): ProofCase => ({ name, leaf, proof: text, fault });
  const single = await signedNote({ origin: ORIGIN, size: 1, root: vectorTree(1).root }, LOG, [W1, W3], TIME);
  return [
    one("two of three witnesses", null, proof),
    one("all witnesses", null, await made([W1, W2, W3])),
    one("without the extra line", null, proof.replace(/extra .*\n/, "")),
    one("another extra line, which nobody signed", null, proof.replace(/extra .*\n/, "extra AAAA\n")),
    one("a line of a stranger", null, await made([W1, witnessSigner("stranger.example"), W2])),
    one("the only leaf of a tree", null, formatProof({ index: 0, hashes: [], checkpoint: single }), leafText(0)),
    one("another leaf", "proof", proof, leafText(257)),
    one("another index", "proof", proof.replace("index 258", "index 259")),
    one("an index beyond the tree", "proof", proof.replace("index 258", "index 300")),
    one("a hash too few", "proof", proof.replace(/(index 258\n)[^\n]*\n/, "$1")),
    one("a hash twice", "proof", proof.replace(/(index 258\n)([^\n]*\n)/, "$1$2$2")),
    one("one witness of two", "quorum", await made([W1])),
    one("one witness twice", "quorum", await made([W1, W1])),
    one("a witness with another key", "quorum", await made([W1, witnessSigner("w2.example", seedOf("other"))])),
    one("a log with another key", "signature", await made([W1, W2], logSigner(ORIGIN, seedOf("other")))),
    one("a root that nobody signed", "signature", proof.replace(toBase64(tree.root), toBase64(vectorTree(299).root))),
    one("another log", "origin", await made([W1, W2], LOG, "other.example")),
    one("another version", "malformed", proof.replace("@v1", "@v2")),
    one("an empty extra line", "malformed", proof.replace(/extra .*\n/, "extra \n")),
    one("an index with a zero before it", "malformed", proof.replace("index 258", "index 0258")),
    one("no index", "malformed", proof.replace("index 258\n", "")),
    one("a short hash", "malformed", proof.replace(/(index 258\n)[^\n]*\n/, "$1AAAA\n")),
    one("no empty line", "malformed", proof.replaceAll("\n\n", "\n")),
    one("no checkpoint", "malformed", `${proof.split("\n\n")[0]}\n\n`),
  ];
}

export const proofsFile = async () => ({
  about:
    "Policies (C2SP, tlog-policy) with what meets their quorums, by the names of keys; and proofs (C2SP, tlog-proof) held against `policy`:" +
    " `fault` is null where the log holds the text `leaf`, else what is wrong first: the text, the origin, the log's signature, the quorum, the path.",
  policies: policyCases(),
  policy: POLICY,
  proofs: await proofCases(),
});
