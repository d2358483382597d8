// Witnesses: a log that only grows is cosigned, one that does not is accused, and an older state signs nothing until it is accepted.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { WitnessState } from "../../src/cli/witness/state.ts";
import { followOnce } from "../../src/cli/witness/follow.ts";
import { acceptHistory } from "../../src/cli/operate/accept-history.ts";
import { connect } from "../../src/client/connect.ts";
import { TlogError, verifyHead, verifyReceipt } from "../../src/client/tlog.ts";
import { sha256 } from "../../src/core/protocol/sha256.ts";
import { formatCheckpoint } from "../../src/core/tlog/checkpoint.ts";
import { ED25519, formatVerifierKey } from "../../src/core/tlog/key.ts";
import { formatNote, formatSignatures, parseNote } from "../../src/core/tlog/note.ts";
import { cosignText, type Signer, signText } from "../../src/core/tlog/signature.ts";
import { TestBoard } from "../support/board.ts";
import { keepCopy, putBack } from "../support/copies.ts";
import { inTime } from "../support/in-time.ts";
import { configAt } from "../support/operator.ts";
import { emptyDirectory } from "../support/process.ts";
import { runHere } from "../support/program.ts";
import { expectRefusal } from "../support/refusal.ts";
import { policyFile, signerNamed } from "../support/witness.ts";

const text = async (board: TestBoard, path: string): Promise<string> => (await fetch(board.url + path)).text();
const post = (board: TestBoard, body: string): Promise<{ seq: number }> => board.put(board.agent(), { kind: "note", body });
const cosign = (board: TestBoard, body: string) => board.send(body, "/tlog/cosign", { "content-type": "text/plain" });
const seconds = (board: TestBoard) => () => Math.floor(board.clock.now() / 1000);

describe("a witness", () => {
  test("cosigns what only grew; the board shows it, and receipts have it", async () => {
    const [one, two, stranger] = [signerNamed("one.test/w"), signerNamed("two.test/w"), signerNamed("three.test/w")];
    await using board = await TestBoard.start({ flags: ["--witness-policy", policyFile(one, two)] });
    await post(board, "first");
    const at = connect(board.url, { attempts: 1 });
    const [state, other] = [new WitnessState(join(emptyDirectory(), "state")), new WitnessState(join(emptyDirectory(), "state"))];
    expect(await followOnce(at, state, one, seconds(board))).toEqual({ origin: "board.test/tlog", size: 1, witnesses: 1 });
    await post(board, "second");
    // The same head for ten seconds, so that witnesses meet at one.
    expect(await followOnce(at, other, two, seconds(board))).toEqual({ origin: "board.test/tlog", size: 1, witnesses: 2 });
    board.clock.advance(2000);
    const policy = await text(board, "/tlog/policy");
    const shown = await verifyHead(at, policy);
    expect([shown.size, shown.witnesses.map(({ name }) => name)]).toEqual([1, ["one.test/w", "two.test/w"]]);
    const proof = await text(board, "/api/changes/1/proof");
    expect((await verifyReceipt(proof, policy)).witnesses).toHaveLength(2);
    // What is younger than any quorum has a proof all the same; whoever demands a quorum waits.
    const young = await inTime(board, () => text(board, "/api/changes/2/proof"));
    await expect(verifyReceipt(young, policy)).rejects.toThrow("quorum is not met");

    board.clock.advance(60_000);
    expect(parseNote(await text(board, "/tlog/checkpoint")).signatures).toHaveLength(1);
    expect(await followOnce(at, state, one, seconds(board))).toMatchObject({ size: 2, witnesses: 1 });
    const note = await text(board, "/tlog/checkpoint?for=witness");
    const lines = async (signer: Signer) => formatSignatures([await cosignText(parseNote(note).text, seconds(board)(), signer)]);
    expect((await cosign(board, await lines(two))).body).toEqual({ size: 2, added: 1, witnesses: 2 });
    expect((await cosign(board, note + (await lines(two)))).body).toEqual({ size: 2, added: 0, witnesses: 2 });
    expectRefusal(await cosign(board, await lines(stranger)), 403, "unknown_witness");
    expectRefusal(await cosign(board, "nothing"), 400, "invalid_field");
    const wrong = formatSignatures([{ ...(await cosignText("another\n1\nhead\n", 1, two)) }]);
    expectRefusal(await cosign(board, wrong), 403, "bad_signature");
    const grown = await verifyHead(at, await text(board, "/tlog/policy"), shown.note);
    expect(grown.size).toBe(2);
  });

  test("goes on after a restart of the board, with the heads that it has", async () => {
    const one = signerNamed("one.test/w");
    const flags = ["--witness-policy", policyFile(one)];
    const first = await TestBoard.start({ flags });
    await post(first, "first");
    const note = await text(first, "/tlog/checkpoint?for=witness");
    await first.stop();
    await using board = await TestBoard.start({ flags, data: first.data, clock: first.clock });
    const line = formatSignatures([await cosignText(parseNote(note).text, seconds(board)(), one)]);
    expect((await cosign(board, note + line)).body).toEqual({ size: 1, added: 1, witnesses: 1 });
  });

  test("refuses another key under a name that it knows, and a log that shrank", async () => {
    await using board = await TestBoard.start();
    await post(board, "first");
    const at = connect(board.url, { attempts: 1 });
    const state = new WitnessState(join(emptyDirectory(), "state"));
    state.learn(formatVerifierKey(signerNamed("board.test/tlog", ED25519).key));
    await expect(followOnce(at, state, signerNamed("w.test"), seconds(board))).rejects.toThrow("shows another key than before");
  });
});

test("an older state signs nothing, until the operator accepts it as another history under another name", async () => {
  const first = await TestBoard.start();
  await post(first, "kept");
  await first.stop();
  await keepCopy(first.data, "older");
  const again = { data: first.data, clock: first.clock };
  const second = await TestBoard.start(again);
  await post(second, "lost");
  const policy = await text(second, "/tlog/policy");
  const known = (await verifyHead(connect(second.url), policy)).note;
  const config = configAt(first.data);
  await second.stop();
  await expect(acceptHistory(config, async () => {}, first.clock.now())).rejects.toThrow("There is nothing to accept");

  await putBack(first.data, "older");
  const third = await TestBoard.start(again);
  for (const path of ["/tlog/checkpoint", "/api/checkpoint", "/api/changes/1/proof"])
    expectRefusal(await third.get(path), 503, "log_rollback");
  const { origin } = (await third.get<{ origin: string }>("/tlog/key")).body;
  await third.stop();
  const { name, seq } = await acceptHistory(config, async () => {}, first.clock.now());
  expect([seq, name.origin]).toEqual([1, `${origin}/${name.epoch}`]);

  await using board = await TestBoard.start(again);
  await post(board, "another");
  const now = await verifyHead(connect(board.url), await text(board, "/tlog/policy"));
  expect([now.origin, now.size]).toEqual([name.origin, 2]);
  await expect(verifyHead(connect(board.url), policy)).rejects.toThrow("no log of the policy");
  await expect(verifyHead(connect(board.url), await text(board, "/tlog/policy"), known)).rejects.toThrow(TlogError);
});

test("two heads of one size and two roots are evidence", async () => {
  const log = signerNamed("log.test/tlog", ED25519);
  const dir = emptyDirectory();
  const file = async (name: string, size: number, root: string): Promise<string> => {
    const head = formatCheckpoint({ origin: "log.test/tlog", size, root: sha256(root) });
    writeFileSync(join(dir, name), formatNote({ text: head, signatures: [await signText(head, log)] }));
    return join(dir, name);
  };
  const [a, b, vkey] = [await file("a", 3, "one"), await file("b", 3, "two"), formatVerifierKey(log.key)];
  const accused = await runHere(["accuse", a, b, "--vkey", vkey]);
  expect(accused.code).toBe(0);
  expect(accused.stderr).toContain("log.test/tlog signed two histories");
  writeFileSync(join(dir, "evidence"), accused.stdout);
  expect((await runHere(["accuse", "--check", join(dir, "evidence")])).code).toBe(0);
  const fit = await runHere(["accuse", a, a, "--vkey", vkey]);
  expect([fit.code, fit.stdout]).toEqual([4, ""]);
});
