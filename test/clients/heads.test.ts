// The last verified head, as both command lines store it: the log must be consistent with it, and otherwise they warn loudly.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { formatVerifierKey } from "../../src/core/tlog/key.ts";
import { formatSignatures, parseNote } from "../../src/core/tlog/note.ts";
import { cosignText } from "../../src/core/tlog/signature.ts";
import { TestBoard } from "../support/board.ts";
import { notes, putAll } from "../support/crowd.ts";
import { otherHistory } from "../support/other-history.ts";
import { emptyDirectory } from "../support/process.ts";
import { runHere } from "../support/program.ts";
import { CLIENT, runPython } from "../support/python.ts";
import { policyFile, signerNamed } from "../support/witness.ts";

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

let board: TestBoard;
let another: TestBoard;
beforeAll(async () => {
  board = await TestBoard.start();
  another = await TestBoard.start();
  for (const one of [board, another]) await more(one);
});
afterAll(() => Promise.all([board.stop(), another.stop()]));

async function more(at: TestBoard): Promise<void> {
  await putAll(
    at,
    notes(3, (i) => `note ${i}`),
    [at.agent()],
  );
  at.clock.advance(11_000);
}

const COMMANDS: Readonly<Record<string, (url: string, file: string, ...flags: readonly string[]) => Promise<Ran>>> = {
  blackboard: (url, file, ...flags) => runHere(["verify-head", "--url", url, "--json", "--remember", file, ...flags]),
  "client.py": (url, file, ...flags) => runPython([CLIENT, "--url", url, "--json", "verify-head", "--remember", file, ...flags]),
};
const text = async (at: TestBoard, path: string): Promise<string> => (await fetch(at.url + path)).text();

describe.each(Object.entries(COMMANDS))("%s verify-head", (_name, verify) => {
  const file = (): string => join(emptyDirectory(), "deep", "head.note");

  test("remembers a head, and the next one that is consistent with it", async () => {
    const remembered = file();
    const first = await verify(board.url, remembered);
    expect([first.code, JSON.parse(first.stdout)]).toMatchObject([0, { origin: "board.test/tlog", first: true, witnesses: [] }]);
    const before = readFileSync(remembered, "utf8");
    await more(board);
    const next = await verify(board.url, remembered);
    expect([next.code, JSON.parse(next.stdout)]).toMatchObject([0, { first: false }]);
    expect((JSON.parse(next.stdout) as { size: number }).size).toBe((JSON.parse(first.stdout) as { size: number }).size + 3);
    expect(readFileSync(remembered, "utf8")).not.toBe(before);
  });

  test("says loudly that a board shows another history, and keeps what it signed before", async () => {
    const remembered = file();
    await verify(board.url, remembered);
    const signed = await otherHistory(board, 3);
    writeFileSync(remembered, signed);
    const { code, stderr } = await verify(board.url, remembered);
    expect([code, stderr]).toEqual([4, expect.stringContaining("ANOTHER HISTORY")]);
    expect(readFileSync(remembered, "utf8")).toBe(signed);
  });

  test("says so as loudly if the log has fewer entries than the board signed before", async () => {
    const remembered = file();
    await verify(board.url, remembered);
    // Trees of this size need whole tiles, which a log of a few entries never had.
    const signed = await otherHistory(board, 600);
    writeFileSync(remembered, signed);
    const { code, stderr } = await verify(board.url, remembered);
    expect([code, stderr]).toEqual([4, expect.stringContaining("ANOTHER HISTORY")]);
    expect(readFileSync(remembered, "utf8")).toBe(signed);
  });

  test("continues from the remembered head when its policy asks for one more witness", async () => {
    const witness = signerNamed("one.test/w");
    await using witnessed = await TestBoard.start({ flags: ["--witness-policy", policyFile(witness)] });
    const [remembered, policy] = [file(), join(emptyDirectory(), "policy")];
    const [log = ""] = (await text(witnessed, "/tlog/policy")).split("\n");
    writeFileSync(policy, `${log}\nquorum none\n`);
    await more(witnessed);
    expect(await verify(witnessed.url, remembered, "--policy", policy)).toMatchObject({ code: 0 });
    writeFileSync(policy, `${log}\nwitness one ${formatVerifierKey(witness.key)}\nquorum one\n`);
    await more(witnessed);
    const note = await text(witnessed, "/tlog/checkpoint?for=witness");
    const line = formatSignatures([await cosignText(parseNote(note).text, Math.floor(witnessed.clock.now() / 1000), witness)]);
    const { body } = await witnessed.send(note + line, "/tlog/cosign", { "content-type": "text/plain" });
    expect(body).toMatchObject({ witnesses: 1 });
    witnessed.clock.advance(2000);
    expect(await verify(witnessed.url, remembered, "--policy", policy)).toMatchObject({ code: 0, stderr: "" });
  });

  test("does not take late witnesses for another history", async () => {
    const remembered = file();
    await verify(board.url, remembered);
    const policy = `${remembered}.policy`;
    const [log = ""] = readFileSync(policy, "utf8").split("\n");
    const witness = formatVerifierKey(signerNamed("late.test/w").key);
    // The remembered head stays, and the next one needs a witness.
    writeFileSync(policy, `${log}\nwitness late ${witness}\nquorum late\n`);
    await more(board);
    const { code, stderr } = await verify(board.url, remembered);
    expect(code).toBe(4);
    expect(stderr).toMatch(/witness|quorum/);
    expect(stderr).not.toContain("ANOTHER HISTORY");
  });

  test("trusts only the key that it saw first", async () => {
    const remembered = file();
    await verify(board.url, remembered);
    const before = readFileSync(remembered, "utf8");
    const { code, stderr } = await verify(another.url, remembered);
    expect([code, stderr]).toEqual([4, expect.stringMatching(/THIS BOARD (?:NO LONGER SIGNS|SHOWS ANOTHER HISTORY)/)]);
    expect(readFileSync(remembered, "utf8")).toBe(before);
    expect(existsSync(`${remembered}.policy`)).toBe(true);
  });
});
