import { expect, test } from "vitest";
import { crypto, logSigner, MemoryLog, seedOf, sha256, signedNote, witnessSigner } from "../../../test/support/tlog.ts";
import { ED25519, verifierKey, type VerifierKey } from "./key.ts";
import type { TreeHead } from "./merkle.ts";
import { formatNote, parseNote, parseSignatures } from "./note.ts";
import { planConsistency } from "./proofs-from-tiles.ts";
import { verifiedSignatures } from "./signature.ts";
import { addCheckpoint, formatAddCheckpoint, type Witnessed } from "./witness.ts";

const NOW = 1_767_225_600;
const WITNESS = witnessSigner("witness.example");

class MemoryWitness implements Witnessed {
  readonly heads = new Map<string, TreeHead>();
  readonly #keys: readonly VerifierKey[];

  constructor(...keys: readonly VerifierKey[]) {
    this.#keys = keys;
  }

  keysOf(origin: string) {
    const keys = this.#keys.filter(({ name }) => name === origin);
    return keys.length === 0 ? undefined : keys;
  }

  update: Witnessed["update"] = (origin, _request, decide) => {
    const decision = decide(this.heads.get(origin));
    if ("head" in decision) this.heads.set(origin, decision.head);
    return decision;
  };

  add = (body: string | Uint8Array) => addCheckpoint(body, this, [WITNESS], () => NOW, crypto);
}

const LOG = logSigner("log.example");
const TREE = new MemoryLog(Array.from({ length: 20 }, (_, i) => Buffer.from(`leaf ${i}`)));
const FORK = new MemoryLog(Array.from({ length: 20 }, (_, i) => Buffer.from(i === 3 ? "other" : `leaf ${i}`)));
const headOf = (tree: MemoryLog, size: number): TreeHead => ({ size, root: new MemoryLog(tree.leaves.slice(0, size)).root });
const noteOf = (size: number, tree = TREE, log = LOG, origin = "log.example") => signedNote({ origin, ...headOf(tree, size) }, log);
const request = async (old: number, size: number, tree = TREE) =>
  formatAddCheckpoint(old, tree.ask(planConsistency(old, size)), await noteOf(size, tree));

test("a witness cosigns a log that grows, and its line makes a note that holds", async () => {
  const witness = new MemoryWitness(LOG.key);
  for (const [old, size] of [
    [0, 0],
    [0, 7],
    [7, 7],
    [7, 8],
    [8, 20],
  ] as const) {
    const answer = await witness.add(await request(old, size));
    expect(answer).toMatchObject({ status: 200, type: "text/plain; charset=utf-8" });
    const { text, signatures } = parseNote(await noteOf(size));
    const note = parseNote(formatNote({ text, signatures: [...signatures, ...parseSignatures(answer.body)] }));
    const [byLog, byWitness] = await verifiedSignatures(note, [LOG.key, WITNESS.key], crypto.verify);
    expect([byLog?.key.name, byWitness?.key.name, byWitness?.time]).toEqual(["log.example", "witness.example", NOW]);
  }
  expect(witness.heads.get("log.example")).toEqual(headOf(TREE, 20));
});

test("it cosigns nothing else, says why with the status of C2SP, and remembers what it cosigned", async () => {
  const witness = new MemoryWitness(LOG.key);
  await witness.add(await request(0, 8));
  const answers = async (body: string, status: number, words: string) => {
    expect(await witness.add(body)).toMatchObject({ status, body: expect.stringContaining(words) as string });
    expect(witness.heads.get("log.example")).toEqual(headOf(TREE, 8));
  };
  const proof = TREE.ask(planConsistency(8, 20));
  await answers(formatAddCheckpoint(8, proof, await noteOf(20, TREE, LOG, "other.example")), 404, "does not know");
  await answers(formatAddCheckpoint(8, proof, await noteOf(20, TREE, logSigner("log.example", seedOf("other")))), 403, "No known key");
  const flipped = (await request(8, 20)).replace(/(.)(..=\n)$/, (_, one: string, rest: string) => (one === "A" ? "B" : "A") + rest);
  await answers(flipped, 403, "is not valid");
  await answers(formatAddCheckpoint(9, [], await noteOf(8)), 400, "larger than that of the checkpoint");
  await answers(await request(8, 20, FORK), 422, "newer root");
  await answers(formatAddCheckpoint(8, proof.slice(1), await noteOf(20)), 422, "consistency proof");
  await answers(formatAddCheckpoint(8, [], await noteOf(20)), 422, "consistency proof");
  await answers(
    formatAddCheckpoint(8, [], await signedNote({ origin: "log.example", size: 8, root: new Uint8Array(32) }, LOG)),
    422,
    "different histories",
  );
  await answers(formatAddCheckpoint(8, proof, await noteOf(8)), 422, "must be empty");
  for (const [old, size] of [
    [0, 8],
    [0, 20],
    [7, 20],
    [0, 0],
    [9, 20],
  ] as const)
    expect(await witness.add(await request(old, size))).toEqual({ status: 409, type: "text/x.tlog.size", body: "8\n" });
});

test("at first only the empty tree has no leaves, and nothing is to be proved", async () => {
  const witness = new MemoryWitness(LOG.key);
  const empty = await signedNote({ origin: "log.example", size: 0, root: new Uint8Array(32) }, LOG);
  expect(await witness.add(formatAddCheckpoint(0, [], empty))).toMatchObject({ status: 422 });
  expect(await witness.add(formatAddCheckpoint(0, [new Uint8Array(32)], await noteOf(8)))).toMatchObject({ status: 422 });
  expect(await witness.add(await request(1, 8))).toEqual({ status: 409, type: "text/x.tlog.size", body: "0\n" });
  expect(witness.heads.size).toBe(0);
});

test("what is no request is a 400 that says what is missing", async () => {
  const witness = new MemoryWitness(LOG.key);
  const good = await request(7, 8);
  for (const [body, words] of [
    ["", "no empty line"],
    [good.replace("old 7", "old"), "`old <size>`"],
    [good.replace("old 7", "old 07"), "leading zeros"],
    [good.replace("old 7", "old -7"), "whole number"],
    [good.replace("old 7\n", "old 7\n\n"), "extension line"],
    [good.replace("old 7\n", "old 7\nnot base64\n"), "not base64"],
    [good.replace("old 7\n", `old 7\n${`${"A".repeat(43)}=\n`.repeat(64)}`), "at most 63 hashes"],
    [good.slice(0, -1), "ends with a newline"],
    [good.replace("\u2014", "-"), "em dash"],
    ["x".repeat(300_000), "longer than"],
  ] as const)
    expect(await witness.add(body), words).toMatchObject({ status: 400, body: expect.stringContaining(words) as string });
  expect(await witness.add(Buffer.of(0xff))).toMatchObject({ status: 400, body: expect.stringContaining("not UTF-8") as string });
});

test("two requests at once never take back what was cosigned", async () => {
  const witness = new MemoryWitness(LOG.key);
  const answers = await Promise.all([witness.add(await request(0, 20)), witness.add(await request(0, 8))]);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]));
  expect(witness.heads.get("log.example")?.size).toBe(answers[0]?.status === 200 ? 20 : 8);
});

// The dialogue of torchwood's litewitness (cmd/litewitness/testdata/litewitness.txt), with the key of its log. Its request with a
// signature whose last character is changed is not base64 here (400, not 403), and its unknown log is a 404, as C2SP has it today.
const SIGSUM = "sigsum.org/v1/tree/4d6d8825a6bb689d459628312889dfbb0bcd41b5211d9e1ce768b0ff0309e562";
const SIGSUM_KEY = Buffer.from("ffdc2d4d98e4124d3feaf788c0c2f9abfd796083d1f0495437f302ec79cf100f", "hex");
const star = (n: number): string => Buffer.concat([Buffer.of(0x2a, n), Buffer.alloc(30)]).toString("base64");
const SIZE_1 = `${SIGSUM}\n1\n${star(0)}\n\n\u2014 ${SIGSUM} UgIom7fPZTqpxWWhyjWduBvTvGVqsokMbqTArsQilegKoFBJQjUFAmQ0+YeSPM3wfUQMFSzVnnNuWRTYrajXpNUbIQY=\n`;
const SIZE_3 = `${SIGSUM}\n3\nRcCI1Nk56ZcSmIEfIn0SleqtV7uvrlXNccFx595Iwl0=\n\n\u2014 ${SIGSUM} UgIom2VbtIcdFbwFAy1n7s6IkAxIY6J/GQOTuZF2ORV39d75cbAj2aQYwyJre36kezNobZs4SUUdrcawfAB8WVrx6go=\n`;
const SIZE_5 = `${SIGSUM}\n5\nQrtXrQZCCvpIgsSmOsah7HdICzMLLyDfxToMql9WTjY=\n\n\u2014 ${SIGSUM} UgIomw/EOJmWi0i1FQsOj+etB7F8IccFam/jgd6wzRns4QPVmyEZtdvl1U2KEmLOZ/ASRcWJi0tW90dJWAShei7sDww=\n`;
const [INNER_1, INNER_2] = ["+fUDV+k970B4I3uKrqJM4aP1lloPZP8mvr2Z4wRw2LI=", "wgiIFdZfYNv6WU1OllBKsWnLYIS/DBMqt8Uh/S4OukE="];

test("another witness and its log had this dialogue, and ours answers alike", async () => {
  const witness = new MemoryWitness(verifierKey(SIGSUM, ED25519, SIGSUM_KEY, sha256));
  const step = async (head: string, note: string) => {
    const { status, body } = await witness.add(`${head}\n\n${note}`);
    return status === 409 ? [status, body] : status;
  };
  expect(await step("old 0", SIZE_1)).toBe(200);
  expect(await step(`old 1\n${star(1)}\n${star(2)}`, SIZE_3.replace("6go=", "6gx="))).toBe(400);
  expect(await step(`old 1\n${star(1)}\n${star(2)}`, SIZE_3.replaceAll("e562", "e563"))).toBe(404);
  expect(await step("old 1", SIZE_3)).toBe(422);
  expect(await step(`old 1\n${star(1)}\n${star(2).replace(/AAA=$/, "ABA=")}`, SIZE_3)).toBe(422);
  expect(await step(`old 1\n${star(1)}\n${star(2)}`, SIZE_3)).toBe(200);
  expect(await step(`old 1\n${star(1)}\n${INNER_1}\n${star(4)}`, SIZE_5)).toEqual([409, "3\n"]);
  expect(await step(`old 3\n${star(2)}\n${star(3)}\n${INNER_2}\n${star(4)}`, SIZE_5)).toBe(200);
  expect(await step("old 0", SIZE_5)).toEqual([409, "5\n"]);
});
