// Witnesses: a log that only grows is cosigned, one that does not is accused, and an older state signs nothing until it is accepted.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { WitnessState } from "../../src/cli/witness/state.ts";
import { followOnce } from "../../src/cli/witness/follow.ts";
import { acceptHistory } from "../../src/cli/operate/accept-history.ts";
import { connect } from "../../src/client/board-handle.ts";
import { TlogError, verifyHead, verifyReceipt } from "../../src/client/tlog.ts";
import type { ErrorBody } from "../../src/core/errors.ts";
import { sha256 } from "../../src/core/protocol/node-sha256.ts";
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
import { Proxy } from "../support/proxy.ts";
import { expectRefusal } from "../support/refusal.ts";
import { noWarning, policyFile, signerNamed } from "../support/witness.ts";

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
    expect(await followOnce(at, state, one, seconds(board), noWarning)).toEqual({ origin: "board.test/tlog", size: 1, witnesses: 1 });
    await post(board, "second");
    // The same head for ten seconds, so that witnesses cosign the same one.
    expect(await followOnce(at, other, two, seconds(board), noWarning)).toEqual({ origin: "board.test/tlog", size: 1, witnesses: 2 });
    board.clock.advance(2000);
    const policy = await text(board, "/tlog/policy");
    const shown = await verifyHead(at, policy);
    expect([shown.size, shown.witnesses.map(({ name }) => name)]).toEqual([1, ["one.test/w", "two.test/w"]]);
    const proof = await text(board, "/api/changes/1/proof");
    expect((await verifyReceipt(proof, policy)).witnesses).toHaveLength(2);
    // An entry newer than any quorum still has a proof; a caller that requires a quorum waits.
    const young = await inTime(board, () => text(board, "/api/changes/2/proof"));
    await expect(verifyReceipt(young, policy)).rejects.toThrow("quorum is not met");

    board.clock.advance(60_000);
    expect(parseNote(await text(board, "/tlog/checkpoint")).signatures).toHaveLength(1);
    expect(await followOnce(at, state, one, seconds(board), noWarning)).toMatchObject({ size: 2, witnesses: 1 });
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

  test("continues after a restart of the board, with the heads that it has", async () => {
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

  test("may send an old note again: it adds nothing, is never shown in the place of a newer one, and is refused after an hour", async () => {
    const [one, two] = [signerNamed("one.test/w"), signerNamed("two.test/w")];
    const flags = ["--witness-policy", policyFile(one)];
    const first = await TestBoard.start({ flags });
    await post(first, "first");
    const note = await text(first, "/tlog/checkpoint?for=witness");
    const line = formatSignatures([await cosignText(parseNote(note).text, seconds(first)(), one)]);
    const sizeShown = async (board: TestBoard): Promise<string | undefined> => (await text(board, "/tlog/checkpoint")).split("\n")[1];
    expect((await cosign(first, note + line)).body).toEqual({ size: 1, added: 1, witnesses: 1 });
    expect((await cosign(first, note + line)).body).toEqual({ size: 1, added: 0, witnesses: 1 });
    first.clock.advance(61_000);
    await post(first, "second");
    expect(await sizeShown(first)).toBe("2");
    first.clock.advance(61_000);
    await first.stop();

    const board = await TestBoard.start({ flags, data: first.data, clock: first.clock });
    await post(board, "third");
    expect(await sizeShown(board)).toBe("3");
    // The earlier board knew it; this one finds its own signature under it.
    expect((await cosign(board, note + line)).body).toEqual({ size: 1, added: 1, witnesses: 1 });
    expect((await cosign(board, note + line)).body).toEqual({ size: 1, added: 0, witnesses: 1 });
    expect(await sizeShown(board)).toBe("3");
    const newer = await inTime(board, () => text(board, "/api/changes/1/proof"));
    expect(newer).toContain("\nboard.test/tlog\n3\n");
    // A cosignature of one head is not valid for another.
    const now = await text(board, "/tlog/checkpoint?for=witness");
    expectRefusal(await cosign(board, now + line), 403, "bad_signature");
    board.clock.advance(3_600_000);
    await post(board, "fourth");
    await text(board, "/tlog/checkpoint?for=witness");
    for (const old of [note + line, line]) expectRefusal(await cosign(board, old), 403, "bad_signature");
    await board.stop();
    // Nor does a restarted board accept it, nor one whose policy no longer names the witness.
    for (const [policy, code] of [
      [one, "bad_signature"],
      [two, "unknown_witness"],
    ] as const) {
      const later = { flags: ["--witness-policy", policyFile(policy)], data: first.data, clock: first.clock };
      await using again = await TestBoard.start(later);
      expectRefusal(await cosign(again, note + line), 403, code);
    }
  });

  test("refuses another key under a name that it knows, and a log that shrank", async () => {
    await using board = await TestBoard.start();
    await post(board, "first");
    const at = connect(board.url, { attempts: 1 });
    const state = new WitnessState(join(emptyDirectory(), "state"));
    state.learn(formatVerifierKey(signerNamed("board.test/tlog", ED25519).key));
    await expect(followOnce(at, state, signerNamed("w.test"), seconds(board), noWarning)).rejects.toThrow("shows another key than before");
  });
});

test("a wrong request of a witness gets a refusal about this endpoint: its content type, the policy, and where it is documented", async () => {
  await using board = await TestBoard.start();
  await post(board, "first");
  for (const headers of [
    { "content-type": "application/x-www-form-urlencoded" },
    { "content-type": "application/x-ndjson" },
    { "content-type": "text/plain", "content-encoding": "gzip" },
  ]) {
    const { message, hint } = expectRefusal(await board.send("a line", "/tlog/cosign", headers), 415, "unsupported_media_type");
    expect(`${message} ${hint}`).toContain("text/plain");
    expect(`${message} ${hint}`).not.toContain("json.");
    expect(hint).not.toContain("application/json");
  }
  const empty = (await (await fetch(`${board.url}/tlog/cosign`, { method: "POST" })).json()) as ErrorBody;
  expect(empty.error).toMatchObject({ code: "invalid_field", message: "The body is empty.", hint: expect.stringContaining("text/plain") });
  for (const wrong of ["", "nothing"])
    expect(expectRefusal(await cosign(board, wrong), 400, "invalid_field").hint).toContain("/llms/log.txt");
  expect(await text(board, "/llms/log.txt")).toContain("/tlog/cosign");
  const note = await text(board, "/tlog/checkpoint?for=witness");
  const line = formatSignatures([await cosignText(parseNote(note).text, seconds(board)(), signerNamed("w.test"))]);
  const stranger = expectRefusal(await cosign(board, line), 403, "unknown_witness");
  expect([stranger.message, stranger.details]).toEqual([expect.stringContaining("knows no witnesses"), { witnesses: [] }]);
});

test("a witness cosigns no head of another log than the one that the board's policy names", async () => {
  await using board = await TestBoard.start();
  await post(board, "first");
  const other = signerNamed("other.test/tlog", ED25519);
  const head = formatCheckpoint({ origin: "other.test/tlog", size: 1, root: sha256("") });
  const lie = formatNote({ text: head, signatures: [await signText(head, other)] });
  await using proxy = await Proxy.start(() => board.url, { change: (path, body) => (path.startsWith("/tlog/checkpoint") ? lie : body) });
  const state = new WitnessState(join(emptyDirectory(), "state"));
  state.learn(formatVerifierKey(other.key));
  const followed = followOnce(connect(proxy.url, { attempts: 1 }), state, signerNamed("w.test"), seconds(board), noWarning);
  await expect(followed).rejects.toThrow("shows a head of other.test/tlog, but its policy names board.test/tlog");
  expect(state.last("other.test/tlog")).toBeUndefined();
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
  const [state, witness] = [join(emptyDirectory(), "state"), signerNamed("w.test")];
  const warnings: string[] = [];
  /** Like a witness that knows the board by its address, which stays while its port changes. */
  const follow = (at: TestBoard): Promise<unknown> => {
    const known = { ...connect(at.url, { attempts: 1 }), url: "https://board.test" };
    const asked: typeof fetch = (address, init) => fetch((address as string).replace("https://board.test", at.url), init);
    return followOnce({ ...known, fetch: asked }, new WitnessState(state), witness, seconds(at), (words) => warnings.push(words));
  };
  // No policy names this witness, but it still remembers what it has cosigned.
  await expect(follow(second)).rejects.toThrow("unknown_witness");
  expect(warnings).toEqual([]);
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
  for (const _time of ["once", "not again"]) await expect(follow(board)).rejects.toThrow("unknown_witness");
  expect(warnings).toEqual([expect.stringContaining("THIS BOARD SHOWS ANOTHER LOG THAN BEFORE")]);
  expect(warnings[0]).toContain(`https://board.test showed ${origin}, and now shows ${name.origin}.`);
  expect(warnings[0]).toContain(`The last head of ${origin} that was cosigned here has 2 entries`);
  await expect(verifyHead(connect(board.url), policy)).rejects.toThrow("not a log of the policy");
  await expect(verifyHead(connect(board.url), await text(board, "/tlog/policy"), known)).rejects.toThrow(TlogError);
});

test("an older state takes no cosignature of a head that it has lost, though the log signed it", async () => {
  const witness = signerNamed("one.test/w");
  const flags = ["--witness-policy", policyFile(witness)];
  const first = await TestBoard.start({ flags });
  await post(first, "kept");
  await first.stop();
  await keepCopy(first.data, "older");
  const again = { data: first.data, clock: first.clock, flags };
  const second = await TestBoard.start(again);
  await post(second, "lost");
  const lost = await text(second, "/tlog/checkpoint?for=witness");
  await second.stop();
  await putBack(first.data, "older");
  await using board = await TestBoard.start(again);
  const line = formatSignatures([await cosignText(parseNote(lost).text, seconds(board)(), witness)]);
  const { message } = expectRefusal(await cosign(board, lost + line), 403, "bad_signature");
  expect(message).toContain("The log does not have this head");
  expectRefusal(await board.get("/api/changes/1/proof"), 503, "log_rollback");
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
  for (const wrong of [
    "{}",
    "null",
    "[]",
    "no JSON",
    '{"vkey":"x","notes":["a"],"path":[]}',
    JSON.stringify({ vkey, notes: [1, 2], path: [] }),
  ]) {
    writeFileSync(join(dir, "wrong"), wrong);
    const none = await runHere(["accuse", "--check", join(dir, "wrong")]);
    expect([wrong, none.code, none.stderr]).toEqual([wrong, 4, expect.stringContaining('is no evidence: that is a JSON object {"vkey"')]);
  }
  const noHead = await runHere(["accuse", a, join(dir, "wrong"), "--vkey", vkey]);
  expect([noHead.code, noHead.stderr]).toEqual([4, expect.stringContaining("no empty line")]);
});
