// Checks a log of ours with independent code: golang.org/x/mod's sumdb/tlog and sumdb/note.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WitnessState } from "../../src/cli/witness/state.ts";
import { followOnce } from "../../src/cli/witness/follow.ts";
import { connect } from "../../src/client/board-handle.ts";
import { toBase64 } from "../../src/core/tlog/base64.ts";
import { openCheckpoint, parseCheckpoint } from "../../src/core/tlog/checkpoint.ts";
import { encodeBundle } from "../../src/core/tlog/entry-bundle.ts";
import { formatVerifierKey, parseVerifierKey } from "../../src/core/tlog/key.ts";
import { parseNote } from "../../src/core/tlog/note.ts";
import { planConsistency, planInclusion, readLater } from "../../src/core/tlog/proofs-from-tiles.ts";
import { parseProof } from "../../src/core/tlog/proof-text.ts";
import { bundlePath, tileIn, tilePath } from "../../src/core/tlog/tile.ts";
import { TestBoard } from "../support/board.ts";
import { notes, putAll } from "../support/crowd.ts";
import { programOnPath } from "../support/on-path.ts";
import { otherHistory } from "../support/other-history.ts";
import { crypto, logSigner, MemoryLog, sha256, signedNote, witnessSigner } from "../support/tlog.ts";
import { noWarning, policyFile } from "../support/witness.ts";

/** The place of Debian's golang-golang-x-mod-dev. */
const GOPATH = process.env["GOPATH"] ?? "/usr/share/gocode";
const GO = programOnPath("go");
const noGo = GO === undefined || !existsSync(join(GOPATH, "src/golang.org/x/mod/sumdb/tlog"));
const WITH_GO = noGo ? "(skipped: no Go with golang.org/x/mod at GOPATH)" : "(Go's sumdb)";

/** Three levels of tiles. */
const SIZE = 70_000;
const ORIGIN = "board.example/tlog";
const LOG = logSigner(ORIGIN);
const WITNESS = witnessSigner("witness.example");

const INCLUSION = [0, 1, 255, 256, 65_535, 65_536, 69_999].map((index) => [index, SIZE] as const);
const CONSISTENCY = [1, 2, 255, 256, 257, 65_536, 65_537, 69_999, SIZE].map((older) => [older, SIZE] as const);

describe.skipIf(noGo)(`a log is what it says to those who did not write it ${WITH_GO}`, () => {
  let folder = "";
  const write = (path: string, content: string | Uint8Array, to = folder) => {
    mkdirSync(dirname(join(to, path)), { recursive: true });
    writeFileSync(join(to, path), content);
  };
  const judge = (what = folder) => spawnSync(join(folder, "tlog-check"), [what], { encoding: "utf8" });

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "tlog-go-"));
    // Its own cache, so that nothing of this is left.
    const env = { ...process.env, GOPATH, GO111MODULE: "off", GOCACHE: join(folder, "cache"), GOFLAGS: "", CGO_ENABLED: "0" };
    execFileSync(GO ?? "", ["build", "-o", join(folder, "tlog-check"), join(import.meta.dirname, "../support/go/tlog-check.go")], { env });
    const log = new MemoryLog(Array.from({ length: SIZE }, (_, i) => Buffer.from(`leaf ${i}`)));
    for (let level = 0; tileIn(SIZE, level, 0) !== undefined; level++)
      for (let index = 0, tile = tileIn(SIZE, level, 0); tile !== undefined; tile = tileIn(SIZE, level, ++index)) {
        write(tilePath(tile), log.tile(tile));
        if (level === 0) write(bundlePath(tile), encodeBundle(log.leaves.slice(index * 256, index * 256 + tile.width)));
      }
    write("checkpoint", await signedNote({ origin: ORIGIN, size: SIZE, root: log.root }, LOG, [WITNESS], 1_767_225_600));
    const proofs = {
      LogKey: formatVerifierKey(LOG.key),
      WitnessKey: formatVerifierKey(WITNESS.key),
      Inclusion: [...INCLUSION, [0, 1] as const, [299, 300] as const].map(([Index, Size]) => ({
        Index,
        Size,
        Hashes: log.ask(planInclusion(Index, Size)).map(toBase64),
      })),
      Consistency: [...CONSISTENCY, [299, 300] as const].map(([Older, Newer]) => ({
        Older,
        Newer,
        Hashes: log.ask(planConsistency(Older, Newer)).map(toBase64),
      })),
    };
    write("proofs.json", JSON.stringify(proofs));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("note, tiles, entries and proofs hold, and Go makes the same proofs from our tiles", async () => {
    const { status, stdout, stderr } = judge();
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const said = JSON.parse(stdout) as { readonly vkey: string; readonly note: string };
    expect(said).toMatchObject({ entries: SIZE, inclusion: 9, consistency: 10 });
    // The other way round: a key and a note made by Go.
    const { checkpoint } = await openCheckpoint(
      parseNote(said.note),
      "go.example/log",
      [parseVerifierKey(said.vkey, sha256)],
      crypto.verify,
    );
    expect(checkpoint.size).toBe(SIZE);
  });

  test("a running board holds too, from its own answers, with a witness' line", async () => {
    await using board = await TestBoard.start({ flags: ["--witness-policy", policyFile(WITNESS)] });
    const size = 700;
    await putAll(
      board,
      notes(size, (i) => `note ${i}`),
    );
    const to = join(folder, "board");
    const bytes = async (path: string) => (await fetch(`${board.url}/tlog/${path}`)).bytes();
    const text = async (path: string) => (await fetch(board.url + path)).text();
    const cosigned = await followOnce(connect(board.url), new WitnessState(join(folder, "state")), WITNESS, () => 1_767_225_600, noWarning);
    expect(cosigned).toMatchObject({ size, witnesses: 1 });
    write("checkpoint", await text("/tlog/checkpoint"), to);
    for (let level = 0; tileIn(size, level, 0) !== undefined; level++)
      for (let index = 0, tile = tileIn(size, level, 0); tile !== undefined; tile = tileIn(size, level, ++index)) {
        write(tilePath(tile), await bytes(tilePath(tile)), to);
        if (level === 0) write(bundlePath(tile), await bytes(bundlePath(tile)), to);
      }
    const inclusion = await Promise.all(
      [1, 256, 257, 512, 700].map(async (seq) => {
        const { index, hashes, checkpoint } = parseProof(await text(`/api/changes/${seq}/proof`));
        return { Index: index, Size: parseCheckpoint(parseNote(checkpoint).text).size, Hashes: hashes.map(toBase64) };
      }),
    );
    const consistency = await Promise.all(
      [1, 255, 256, 300, 512, 700].map(async (older) => {
        const hashes = await readLater(planConsistency(older, size), (tile) => bytes(tilePath(tile)), sha256);
        return { Older: older, Newer: size, Hashes: hashes.map(toBase64) };
      }),
    );
    const { vkey } = (await board.get<{ vkey: string }>("/tlog/key")).body;
    const proofs = { LogKey: vkey, WitnessKey: formatVerifierKey(WITNESS.key), Inclusion: inclusion, Consistency: consistency };
    write("proofs.json", JSON.stringify(proofs), to);
    const { status, stdout, stderr } = judge(to);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject({ entries: size, inclusion: 5, consistency: 6 });
    write("checkpoint", await otherHistory(board, size), to);
    expect(judge(to).status).toBe(1);
  });

  test.for([
    ["checkpoint", 30],
    ["tile/0/000", 5000],
    ["tile/0/273.p/112", 3],
    ["tile/1/001.p/17", 500],
    ["tile/entries/100", 700],
  ] as const)("one byte changed in %s is noticed", ([path, at]) => {
    const honest = readFileSync(join(folder, path));
    const changed = Buffer.from(honest);
    changed[at] = (changed[at] ?? 0) ^ 1;
    write(path, changed);
    const { status, stderr } = judge();
    write(path, honest);
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringMatching(/./) as string });
  });
});
