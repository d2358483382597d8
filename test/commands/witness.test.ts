// `blackboard witness` as a process: add-checkpoint with the statuses of C2SP's tlog-witness, and a board that it follows.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { verifyHead } from "../../src/client/tlog.ts";
import { connect } from "../../src/client/board-handle.ts";
import { sha256, sha256Hex } from "../../src/core/protocol/node-sha256.ts";
import { parseVerifierKey } from "../../src/core/tlog/key.ts";
import { parseNote, parseSignatures } from "../../src/core/tlog/note.ts";
import { verifiedSignatures } from "../../src/core/tlog/signature.ts";
import { TestBoard } from "../support/board.ts";
import { eventually } from "../support/eventually.ts";
import { otherHistory } from "../support/other-history.ts";
import { BoardProcess, emptyDirectory } from "../support/process.ts";
import { Proxy } from "../support/proxy.ts";
import { crypto } from "../support/tlog.ts";
import { policyFile } from "../support/witness.ts";

interface Dialogue {
  readonly log: string;
  readonly steps: readonly { readonly name: string; readonly body: string; readonly status: number; readonly answer?: string }[];
}
const DIALOGUE = JSON.parse(readFileSync(join(import.meta.dirname, "../../vectors/tlog/witness.json"), "utf8")) as Dialogue;

async function listening(cwd: string, flags: readonly string[]): Promise<{ witness: BoardProcess; url: string; vkey: string }> {
  const witness = BoardProcess.spawn({ args: ["witness", "--name", "w.test/1", ...flags], cwd });
  await eventually("the witness listens", () => (witness.stdout.includes("listening at") ? true : undefined));
  return { witness, url: witness.url.replace(/\/add-checkpoint$/, ""), vkey: /^witness (\S+)$/m.exec(witness.stdout)?.[1] ?? "" };
}

test("add-checkpoint over HTTP answers each request with the status of C2SP, also after it was killed", async () => {
  const cwd = emptyDirectory();
  const flags = ["--port", "0", "--log", DIALOGUE.log];
  const first = await listening(cwd, flags);
  const key = parseVerifierKey(first.vkey, sha256);
  const origin = parseVerifierKey(DIALOGUE.log, sha256).name;
  const shown = async (url: string) => fetch(`${url}/${sha256Hex(origin)}/checkpoint`);
  const add = (url: string, body: string) => fetch(`${url}/add-checkpoint`, { method: "POST", body });
  const statuses = new Set<number>();
  expect((await shown(first.url)).status).toBe(404);
  for (const { name, body, status, answer } of DIALOGUE.steps) {
    const got = await add(first.url, body);
    const text = await got.text();
    statuses.add(got.status);
    expect([name, got.status]).toEqual([name, status]);
    expect(got.headers.get("content-type")).toBe(status === 409 ? "text/x.tlog.size" : "text/plain; charset=utf-8");
    if (status === 409) expect(text).toBe(answer);
    if (status !== 200) continue;
    const note = parseNote(body.slice(body.indexOf("\n\n") + 2));
    const [line, ...more] = await verifiedSignatures({ text: note.text, signatures: parseSignatures(text) }, [key], crypto.verify);
    expect([line?.key.name, more]).toEqual(["w.test/1", []]);
    expect(Math.abs((line?.time ?? 0) - Date.now() / 1000)).toBeLessThan(3600);
    // A reader gets the same head, signed by the log and by the witness.
    expect(await (await shown(first.url)).text()).toBe(body.slice(body.indexOf("\n\n") + 2) + text);
  }
  expect([...statuses].sort((a, b) => a - b)).toEqual([200, 400, 403, 404, 409, 422]);

  await first.witness.kill("SIGKILL");
  const second = await listening(cwd, flags);
  expect(second.vkey).toBe(first.vkey);
  const again = await add(second.url, DIALOGUE.steps[0]?.body ?? "");
  expect([again.status, await again.text()]).toEqual([409, "20\n"]);
  expect((await shown(second.url)).status).toBe(200);
  expect((await fetch(`${second.url}/add-checkpoint`)).status).toBe(405);
  expect((await fetch(`${second.url}/elsewhere`)).status).toBe(404);
  expect((await add(second.url, "x".repeat(600_000))).status).toBe(413);
  await second.witness.kill("SIGKILL");
});

test("a witness follows a board and cosigns what only grew; of another history it says so, and cosigns nothing", async () => {
  const cwd = emptyDirectory();
  const look = (...flags: string[]) => BoardProcess.spawn({ args: ["witness", "--once", "--name", "w.test/1", ...flags], cwd }).ended;
  const vkey = /^witness (\S+)$/m.exec((await look()).stdout)?.[1] ?? "";
  await using board = await TestBoard.start({ flags: ["--witness-policy", policyFile({ key: parseVerifierKey(vkey, sha256) })] });
  let lie: string | undefined;
  await using proxy = await Proxy.start(() => board.url, {
    change: (path, body) => (lie !== undefined && path.startsWith("/tlog/checkpoint") ? lie : body),
  });
  const post = async (body: string) => {
    await board.put(board.agent(), { kind: "note", body });
    board.clock.advance(11_000);
  };
  await post("first");
  const cosigned = await look("--board", proxy.url);
  expect([cosigned.code, cosigned.stdout]).toEqual([0, expect.stringContaining("cosigned board.test/tlog 1 witnesses 1\n")]);
  await post("second");
  expect((await look("--board", proxy.url)).stdout).toContain("cosigned board.test/tlog 2 witnesses 1\n");
  const policy = await (await fetch(`${board.url}/tlog/policy`)).text();
  expect((await verifyHead(connect(board.url), policy)).witnesses.map(({ name }) => name)).toEqual(["w.test/1"]);

  const state = () => readFileSync(join(cwd, "witness.json"), "utf8");
  const before = state();
  for (const size of [2, 1]) {
    lie = await otherHistory(board, size);
    const refused = await look("--board", proxy.url);
    expect([refused.code, refused.stdout.includes("cosigned")]).toEqual([1, false]);
    expect(refused.stderr).toMatch(size === 2 ? /is not cosigned: .*different histories/ : /head of 1 entries after one of 2/);
    expect(state()).toBe(before);
  }
});
