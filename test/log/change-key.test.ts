// A new key of the board or of its log: announced days ahead, signed by both keys, and followed by every reader without help from the
// operator.
import { copyFileSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readBoardKey } from "../../src/adapters/system/board-key.ts";
import { makeBackup } from "../../src/cli/operate/backup.ts";
import { changeKey } from "../../src/cli/operate/change-key.ts";
import { checkConfigured } from "../../src/cli/operate/check.ts";
import { restoreBackup } from "../../src/cli/operate/restore-backup.ts";
import { followOnce } from "../../src/cli/witness/follow.ts";
import { WitnessState } from "../../src/cli/witness/state.ts";
import type { Checkpoint, TlogKey } from "../../src/client/response-types.ts";
import { requireKeyChange } from "../../src/client/verify-key-changes.ts";
import { connect } from "../../src/client/board-handle.ts";
import { followLogKey, verifyHead, verifyReceipt } from "../../src/client/tlog.ts";
import { requireCheckpoint, verifyLog } from "../../src/client/verify-log.ts";
import { checkpointPayload } from "../../src/core/log/chain-checkpoint.ts";
import { agentId } from "../../src/core/protocol/message-and-agent-ids.ts";
import { ED25519, formatVerifierKey } from "../../src/core/tlog/key.ts";
import { formatNote, parseNote } from "../../src/core/tlog/note.ts";
import { signText } from "../../src/core/tlog/signature.ts";
import { DAY_MS } from "../../src/core/durations.ts";
import { operateAlias } from "../support/aliases.ts";
import { TestBoard } from "../support/board.ts";
import { configAt } from "../support/operator.ts";
import { onPostgres } from "../support/postgres/database.ts";
import { emptyDirectory } from "../support/process.ts";
import { runHere } from "../support/program.ts";
import { CLIENT, runPython } from "../support/python.ts";
import { Proxy } from "../support/proxy.ts";
import { expectRefusal } from "../support/refusal.ts";
import { noWarning, policyFile, signerNamed } from "../support/witness.ts";

const text = async (board: TestBoard, path: string): Promise<string> => (await fetch(board.url + path)).text();
const head = async (board: TestBoard) => (await board.get<Checkpoint>("/api/checkpoint")).body;
const logKey = async (board: TestBoard) => (await board.get<TlogKey>("/tlog/key")).body;
const note = (board: TestBoard, title: string) => board.put(board.agent(), { kind: "note", title });
const seconds = (board: TestBoard) => () => Math.floor(board.clock.now() / 1000);
const yes = async (): Promise<void> => {};
/** Announces the key, then gives the board time to notice. With a database, the first call makes the key for every node. */
async function announce(board: TestBoard, name: "board" | "log") {
  const config = configAt(board.data);
  const change = () => changeKey(config, name, yes, board.clock.now());
  const first = await change();
  if (name === "board" && onPostgres()) expect(first).toEqual({ made: join(board.data, "board-next.key") });
  const done = "made" in first ? await change() : first;
  if ("made" in done) throw new Error("The key was made before.");
  board.clock.advance(1000);
  return done;
}
const untilItCounts = (board: TestBoard): void => board.clock.advance(7 * DAY_MS + 120_000);
const findings = async (board: TestBoard) => (await checkConfigured(configAt(board.data), board.clock.now())).findings;

describe("a new key of the board", () => {
  test("signs together with the old one for a week, then alone; the board keeps its name, and readers that knew it follow", async () => {
    const witness = signerNamed("one.test/w");
    const board = await TestBoard.start({ flags: ["--witness-policy", policyFile(witness)] });
    await note(board, "before");
    const [before, policy] = [await head(board), (await text(board, "/tlog/policy")).replace(/^quorum .*$/m, "quorum none")];
    const [at, state] = [connect(board.url, { attempts: 1 }), new WitnessState(join(emptyDirectory(), "state"))];
    const known = (await verifyHead(at, policy)).note;
    await followOnce(at, state, witness, seconds(board), noWarning);
    const receipt = await text(board, "/api/changes/1/proof");

    const { announced, from } = await announce(board, "board");
    expect(announced.map(({ key, board: id, old }) => [key, id, old])).toEqual([
      ["board", before.board, before.pk],
      ["log", before.board, readBoardKey(join(board.data, "log.key"))?.pk],
    ]);
    const both = await head(board);
    expect(both).toMatchObject({ board: before.board, pk: before.pk, next: { pk: announced[0]?.new } });
    await requireCheckpoint(both, before.pk);
    const shown = await logKey(board);
    expect(shown).toMatchObject({ pk: before.pk, next: { pk: announced[0]?.new, from: new Date(from * 1000).toISOString() } });
    expect(parseNote(await text(board, "/tlog/checkpoint")).signatures).toHaveLength(2);
    expect((await text(board, "/tlog/policy")).match(/^log /gm)).toHaveLength(2);
    expect((await verifyHead(at, policy, known)).policy).toBe(policy);
    expect(await verifyLog(at, { since: before, pk: before.pk })).toMatchObject({ seq: both.seq });
    await expect(announce(board, "log")).rejects.toThrow(/A new key of the board is already announced/);

    untilItCounts(board);
    await note(board, "after");
    const after = await head(board);
    expect(after).toMatchObject({ board: before.board, pk: announced[0]?.new });
    expect(after.next).toBeUndefined();
    expect((await verifyLog(at, { since: before, pk: before.pk })).checkpoint.pk).toBe(after.pk);
    const grown = await verifyHead(at, policy, known);
    expect(grown.policy).toContain((await logKey(board)).vkey);
    expect(parseNote(grown.note).signatures).toHaveLength(1);
    expect(await followOnce(at, state, witness, seconds(board), noWarning)).toMatchObject({ size: after.seq });
    // An earlier proof is still valid under the policy of its time.
    expect(await verifyReceipt(receipt, policy)).toMatchObject({ seq: 1 });
    // Signed operations of agents still name the board by its first key.
    expect((await operateAlias(board, board.agent(), "claim", "kept", { board: before.board })).status).toBe(201);
    expect(await findings(board)).toEqual([]);
    await board.stop();

    await using again = await TestBoard.start({ data: board.data, clock: board.clock });
    expect(await head(again)).toMatchObject({ board: before.board, pk: after.pk });
    expect(readBoardKey(join(board.data, "board.key"))?.pk).toBe(after.pk);
    expect(readBoardKey(join(board.data, `board-${before.board}.key`))?.pk).toBe(before.pk);
    expect(await findings(again)).toEqual([]);
    // And once more: the line continues from the first key to the third.
    await announce(again, "board");
    untilItCounts(again);
    const third = await head(again);
    expect(third.keys).toHaveLength(2);
    await requireCheckpoint(third, before.pk);
    await requireCheckpoint(third, after.pk);
    expect(third.board).toBe(before.board);
  });

  test("both command lines remember across it", async () => {
    await using board = await TestBoard.start();
    await note(board, "before");
    const [dir, python] = [emptyDirectory(), emptyDirectory()];
    const commands = [
      (what: string) => runHere([what, "--url", board.url, "--json", "--remember", join(dir, what)]),
      (what: string) => runPython([CLIENT, "--url", board.url, "--json", what, "--remember", join(python, what)]),
    ];
    const all = async () => {
      const codes: unknown[] = [];
      for (const run of commands)
        for (const what of ["verify-log", "verify-head"]) {
          const { code, stderr } = await run(what);
          codes.push(code === 0 ? 0 : stderr);
        }
      return codes;
    };
    expect(await all()).toEqual([0, 0, 0, 0]);
    await announce(board, "board");
    expect(await all()).toEqual([0, 0, 0, 0]);
    untilItCounts(board);
    await note(board, "after");
    expect(await all()).toEqual([0, 0, 0, 0]);
    board.clock.advance(11_000);
    await note(board, "later");
    expect(await all()).toEqual([0, 0, 0, 0]);
    const remembered = JSON.parse(readFileSync(join(dir, "verify-log"), "utf8")) as { pk: string };
    expect(remembered.pk).toBe((await head(board)).pk);
  });

  test("nobody with the old key alone, or with a key of his own, is believed after it", async () => {
    await using board = await TestBoard.start();
    await note(board, "before");
    const old = readBoardKey(join(board.data, "board.key"))!;
    const before = await head(board);
    await announce(board, "board");
    untilItCounts(board);
    const after = await head(board);
    const payload = checkpointPayload("http://board.test", { seq: 1, hash: before.hash }, seconds(board)());
    const forged = { ...after, payload, sig: old.sign(payload), pk: old.pk, seq: 1, hash: before.hash };
    await expect(requireCheckpoint(forged, before.pk)).rejects.toThrow("another key than the one in force");
    const { keys: _left, ...without } = forged;
    await expect(requireCheckpoint(without, after.pk)).rejects.toThrow("another key than the board's");
    const keys = after.keys!.map((one) => ({ ...one, new_sig: one.old_sig }));
    await expect(requireCheckpoint({ ...after, keys }, before.pk)).rejects.toThrow("not signed by both keys");
    // A key that its log never announced: the thief of the old key made it.
    const thief = readBoardKey(join(board.data, "log.key"))!;
    const from = JSON.parse(after.keys![0]!.statement) as object;
    const statement = JSON.stringify({ ...from, new: thief.pk });
    const stolen = { statement, old_sig: old.sign(statement), new_sig: thief.sign(statement), seq: after.keys![0]!.seq };
    const signed = { ...after, pk: thief.pk, sig: thief.sign(after.payload), keys: [stolen] };
    await requireCheckpoint(signed, before.pk);
    const at = connect(board.url, {
      fetch: async (url, init) => ((url as string).endsWith("/api/checkpoint") ? Response.json(signed) : fetch(url, init)),
    });
    await expect(verifyLog(at, { pk: before.pk })).rejects.toThrow("a new key that its log did not announce");
  });

  test("a node without the announced key signs nothing and says what is missing; once it counts, it does not start", async () => {
    const board = await TestBoard.start();
    await note(board, "before");
    await announce(board, "board");
    const next = join(board.data, "board-next.key");
    const away = join(emptyDirectory(), "next.key");
    copyFileSync(next, away);
    await board.stop();
    rmSync(next);
    const again = { data: board.data, clock: board.clock };
    const without = await TestBoard.start(again);
    const refused = await without.get<{ error: { hint: string } }>("/api/checkpoint");
    expectRefusal(refused, 503, "read_only");
    expect(refused.body.error.hint).toContain("docs/operate.md");
    expect((await note(without, "posts go on")).seq).toBeGreaterThan(1);
    // It is noticed as soon as it is there.
    copyFileSync(away, next);
    expect((await without.get("/api/checkpoint")).status).toBe(200);
    await without.stop();
    rmSync(next);
    untilItCounts(board);
    const pk = readBoardKey(away)!.pk;
    await expect(TestBoard.start(again)).rejects.toThrow(`${agentId(pk)} (public key ${pk})`);
    copyFileSync(away, next);
    await using back = await TestBoard.start(again);
    expect(await head(back)).toMatchObject({ pk });
  });
});

test.each(["before", "after"])(
  "an announced key that is lost %s it counts leaves one way on: another key, and another name",
  async (when) => {
    const board = await TestBoard.start();
    await note(board, "before");
    const { board: name } = await head(board);
    await announce(board, "board");
    await board.stop();
    for (const file of ["board-next.key", "board.key"]) rmSync(join(board.data, file));
    if (when === "after") untilItCounts(board);
    await using another = await TestBoard.start({ data: board.data, clock: board.clock, flags: ["--new-key", "on"] });
    await note(another, "it goes on");
    const now = await head(another);
    expect(now.board).not.toBe(name);
    expect([now.next, now.keys]).toEqual([undefined, undefined]);
    expect((await verifyHead(connect(another.url), await text(another, "/tlog/policy"))).size).toBeGreaterThan(1);
  },
);

test("a new key of the log alone leaves the board's as it is", async () => {
  await using board = await TestBoard.start();
  await note(board, "before");
  const [before, former, policy] = [await head(board), await logKey(board), await text(board, "/tlog/policy")];
  const { announced } = await announce(board, "log");
  expect(announced.map(({ key }) => key)).toEqual(["log"]);
  expect((await head(board)).next).toBeUndefined();
  untilItCounts(board);
  const now = await logKey(board);
  expect([now.origin, now.pk, now.keys?.length]).toEqual([former.origin, former.pk, 1]);
  expect(now.vkey).not.toBe(former.vkey);
  expect((await head(board)).pk).toBe(before.pk);
  const { note: signed } = await verifyHead(connect(board.url), policy);
  // The posted note and the announcement; the note may have ended too.
  expect((await verifyHead(connect(board.url), await text(board, "/tlog/policy"), signed)).size).toBeGreaterThanOrEqual(2);
  expect(await findings(board)).toEqual([]);
});

test("a key of the log that its log did not announce is followed by nobody", async () => {
  await using board = await TestBoard.start();
  await note(board, "before");
  const [policy, file, old] = [
    await text(board, "/tlog/policy"),
    join(emptyDirectory(), "head"),
    readBoardKey(join(board.data, "log.key"))!,
  ];
  const python = () => runPython([CLIENT, "--url", proxy.url, "--json", "verify-head", "--remember", file]);
  // A thief with the old key makes up a change to another key, and signs heads for some readers with it.
  const { origin, ...shown } = await logKey(board);
  const thief = signerNamed(origin, ED25519);
  const [vkey, pk] = [formatVerifierKey(thief.key), Buffer.from(thief.key.publicKey).toString("base64url")];
  const stated = { v: 1, board: await board.name(), key: "log", old: old.pk, new: pk, from: seconds(board)(), ts: seconds(board)() };
  const statement = JSON.stringify(stated);
  const by = async (text: string) => Buffer.from(await thief.sign(Buffer.from(text))).toString("base64url");
  const stolen = { statement, old_sig: old.sign(statement), new_sig: await by(statement), seq: 1 };
  const signedAgain = async (body: string): Promise<string> => {
    const { text: head } = parseNote(body.slice(body.lastIndexOf(`${origin}\n`)));
    return body.slice(0, body.lastIndexOf(`${origin}\n`)) + formatNote({ text: head, signatures: [await signText(head, thief)] });
  };
  let lies = false;
  await using proxy = await Proxy.start(() => board.url, {
    change: async (path, body) => {
      if (lies && path === "/tlog/policy") return body.replace(shown.vkey, vkey);
      if (lies && path === "/tlog/key") return JSON.stringify({ origin, ...shown, vkey, keys: [stolen] });
      return lies && (path === "/tlog/checkpoint" || path.endsWith("/proof")) ? signedAgain(body) : body;
    },
  });
  const at = connect(proxy.url, { attempts: 1 });
  const { note: known } = await verifyHead(at, policy);
  expect((await python()).code).toBe(0);
  lies = true;
  // By itself it is valid: both keys signed, and the proof is of an entry of the log.
  await requireKeyChange(stolen);
  expect(await verifyReceipt(await text(board, "/api/changes/1/proof").then(signedAgain), `log ${vkey} x\nquorum none\n`)).toMatchObject({
    seq: 1,
  });
  await expect(verifyHead(at, policy, known)).rejects.toThrow("No known key of board.test/tlog signed");
  await expect(followLogKey(at, shown.vkey)).rejects.toThrow("The log did not announce its new key.");
  const checked = await python();
  expect([checked.code, checked.stderr]).toEqual([4, expect.stringContaining("The log did not announce its new key.")]);
  const state = new WitnessState(join(emptyDirectory(), "state"));
  state.learn(shown.vkey);
  await expect(followOnce(at, state, signerNamed("one.test/w"), seconds(board), noWarning)).rejects.toThrow(
    "shows another key than before",
  );
});

test("a backup carries both keys, and is the same board before and after", async () => {
  const board = await TestBoard.start();
  await note(board, "before");
  await announce(board, "board");
  const first = await head(board);
  const dir = join(emptyDirectory(), "backup");
  expect(await makeBackup(configAt(board.data), dir, true, board.clock.now())).toMatchObject({ board: first.board });
  await board.stop();
  untilItCounts(board);
  const data = emptyDirectory();
  await restoreBackup(configAt(data), dir, board.clock.now() - 8 * DAY_MS);
  await using restored = await TestBoard.start({ data, clock: board.clock, store: "sqlite" });
  expect(await head(restored)).toMatchObject({ board: first.board, pk: first.next?.pk });
  expect(await findings(restored)).toEqual([]);
});

describe.each(["board", "log"] as const)("once a new key of the %s counts", (name) => {
  test.each(["before", "after"])("a backup from %s that moment restores the same board", async (moment) => {
    const board = await TestBoard.start();
    await note(board, "kept");
    const first = await head(board);
    await announce(board, name);
    const dir = join(emptyDirectory(), "backup");
    const backup = () => makeBackup(configAt(board.data), dir, true, board.clock.now());
    if (moment === "before") await backup();
    untilItCounts(board);
    const now = await head(board);
    if (moment === "after") await backup();
    await board.stop();
    const data = emptyDirectory();
    await restoreBackup(configAt(data), dir, board.clock.now());
    await using restored = await TestBoard.start({ data, clock: board.clock, store: "sqlite" });
    expect(await head(restored)).toMatchObject({ board: first.board, pk: now.pk });
    expect(await findings(restored)).toEqual([]);
  });
});

test("the key that the board signs with now is not announced as its next one", async () => {
  await using board = await TestBoard.start();
  await note(board, "kept");
  await announce(board, "board");
  untilItCounts(board);
  await expect(announce(board, "board")).rejects.toThrow("Restart the board first");
});
