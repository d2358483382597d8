// Receipts for three readers: the command, client.py and the TypeScript client agree on what is valid and what is not.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { connect } from "../../src/client/board-handle.ts";
import { TlogError, verifyHead, verifyReceipt } from "../../src/client/tlog.ts";
import { WitnessState } from "../../src/cli/witness/state.ts";
import { followOnce } from "../../src/cli/witness/follow.ts";
import { ED25519, formatVerifierKey } from "../../src/core/tlog/key.ts";
import type { Signer } from "../../src/core/tlog/signature.ts";
import { TestBoard } from "../support/board.ts";
import { notes, putAll } from "../support/crowd.ts";
import { inTime } from "../support/in-time.ts";
import { emptyDirectory } from "../support/process.ts";
import { runHere } from "../support/program.ts";
import { CLIENT, PythonAgent, runPython } from "../support/python.ts";
import { noWarning, policyFile, signerNamed } from "../support/witness.ts";

const HEADS = `
import sys

import client
board = client.Board(sys.argv[1])
policy = client.read_policy(board.policy())
known = client.check_head(open(sys.argv[2]).read(), policy)
print(board.verify_head(policy, known).size)
`;

test("a receipt is valid for every client, offline, and nothing else is", async () => {
  const witness = signerNamed("witness.test/w");
  await using board = await TestBoard.start({ flags: ["--witness-policy", policyFile(witness)] });
  const agent = board.agent();
  await putAll(
    board,
    notes(270, (i) => `note ${i}`),
    [agent],
  );
  const envelope = agent.envelope({ kind: "note", body: "to be proved" });
  expect((await board.send(JSON.stringify(envelope))).status).toBe(201);
  const at = connect(board.url);
  board.clock.advance(11_000);
  await followOnce(at, new WitnessState(join(emptyDirectory(), "state")), witness, () => Math.floor(board.clock.now() / 1000), noWarning);
  const policy = await (await fetch(`${board.url}/tlog/policy`)).text();
  const answer = await inTime(board, () => board.send(JSON.stringify(envelope), "/api/messages?receipt=1"));
  const { receipt, seq, id } = answer.body as unknown as { receipt: { proof: string; witnesses: number }; seq: number; id: string };
  expect([answer.status, receipt.witnesses]).toEqual([200, 1]);
  const head = await verifyHead(at, policy);
  await putAll(
    board,
    notes(300, (i) => `more ${i}`),
    [agent],
  );

  const dir = emptyDirectory();
  const file = (name: string, text: string): string => {
    writeFileSync(join(dir, name), text);
    return join(dir, name);
  };
  const [trusted, message, other] = [
    file("policy", policy),
    file("message", JSON.stringify(envelope)),
    file("other", JSON.stringify({ ...envelope, nonce: "another" })),
  ];
  // No address can be reached: everything is offline.
  using reader = new PythonAgent("http://127.0.0.1:9");
  const clients = {
    blackboard: (...args: string[]) => runHere(["verify-receipt", ...args, "--url", "http://127.0.0.1:9", "--json"]),
    python: (...args: string[]) => reader.run(["--json", "verify-receipt", ...args]),
  };
  const good = file("answer", JSON.stringify(answer.body));
  const raw = (await board.get(`/api/messages/${id}?include=raw`)).body;
  const moved = receipt.proof.replace(/^index \d+$/m, "index 3");
  for (const [name, verify] of Object.entries(clients)) {
    const { code, stdout } = await verify(good, "--policy", trusted, "--message", message);
    expect([name, code]).toEqual([name, 0]);
    expect(JSON.parse(stdout), name).toMatchObject({ origin: "board.test/tlog", seq, type: "create", id });
    expect(JSON.stringify(JSON.parse(stdout)), name).toContain("witness.test/w");
    expect((await verify(good, "--policy", trusted, "--message", other)).code, name).toBe(4);
    expect((await verify(file("moved", moved), "--policy", trusted)).code, name).toBe(4);
    // As the board shows it; without its signed parts, both say what is missing.
    const [shown, bare] = [file("shown", JSON.stringify(raw)), file("bare", JSON.stringify(answer.body))];
    expect((await verify(good, "--policy", trusted, "--message", shown)).code, name).toBe(0);
    const missing = await verify(good, "--policy", trusted, "--message", bare);
    expect([missing.code, missing.stderr], name).toEqual([4, expect.stringContaining("include=raw")]);
    const words = await verify(good, "--policy", trusted, "--message", trusted);
    expect([words.code, words.stderr], name).toEqual([1, expect.stringContaining("This is not JSON")]);
    const nowhere = await verify(join(dir, "nowhere"), "--policy", trusted);
    expect([nowhere.code, nowhere.stderr], name).toEqual([1, expect.stringMatching(/nowhere cannot be (opened|read): /)]);
    const none = await verify(file("none", "{}"), "--policy", trusted);
    expect([none.code, none.stderr], name).toEqual([4, expect.stringContaining("receipt=1")]);
  }
  // No witness has seen the head of a post that was answered just now.
  const young = await inTime(board, () => board.send(JSON.stringify(agent.envelope({ kind: "note" })), "/api/messages?receipt=1"));
  for (const [name, verify] of Object.entries(clients)) {
    const unmet = await verify(file("young", JSON.stringify(young.body)), "--policy", trusted);
    expect([unmet.code, unmet.stderr], name).toEqual([4, expect.stringContaining("again after the witnesses' next round")]);
  }
  expect(await verifyReceipt(receipt.proof, policy, envelope)).toMatchObject({ seq, id, witnesses: [{ name: "witness.test/w" }] });
  await expect(verifyReceipt(moved, policy)).rejects.toThrow(TlogError);

  // The next head is consistent with the last verified one.
  board.clock.advance(11_000);
  await followOnce(at, new WitnessState(join(emptyDirectory(), "state")), witness, () => Math.floor(board.clock.now() / 1000), noWarning);
  expect((await verifyHead(at, policy, head.note)).size).toBe(572);
  const python = await runPython(["-c", HEADS, board.url, file("head", head.note)]);
  expect([python.code, python.stdout]).toEqual([0, "572\n"]);
});

test("--receipt of both command lines keeps what proves the post offline, and overwrites nothing", async () => {
  await using board = await TestBoard.start();
  const dir = emptyDirectory();
  const key = join(dir, "agent.key");
  expect((await runHere(["keygen", "--no-next", "--key-file", key])).code).toBe(0);
  const policy = join(dir, "policy");
  writeFileSync(policy, await (await fetch(`${board.url}/tlog/policy`)).text());
  const clients = {
    blackboard: (...args: string[]) => runHere([...args, "--url", board.url, "--key-file", key]),
    python: (...args: string[]) => runPython([CLIENT, "--url", board.url, "--key-file", key, ...args]),
  };
  for (const [name, run] of Object.entries(clients)) {
    const file = join(dir, `${name}.json`);
    const text = ["post", "note", "--body", `provable, by ${name}`];
    const dry = await run(...text, "--dry-run", "--receipt", file);
    expect([dry.code, dry.stderr], name).toEqual([2, expect.stringContaining("dry run posts nothing")]);
    const posted = await inTime(board, () => run(...text, "--receipt", file));
    expect([posted.code, posted.stderr], name).toEqual([0, ""]);
    expect(posted.stdout).toMatch(new RegExp(`^receipt +${file}$`, "m"));
    const saved = JSON.parse(readFileSync(file, "utf8")) as { id: string; raw: { payload: string } };
    expect(posted.stdout).toContain(saved.id);
    expect(JSON.parse(saved.raw.payload)).toMatchObject({ body: `provable, by ${name}` });
    for (const [by, verify] of Object.entries(clients)) {
      const proved = await verify("verify-receipt", file, "--policy", policy, "--message", file);
      expect([proved.code, proved.stderr], `${by} reads what ${name} kept`).toEqual([0, ""]);
      expect(proved.stdout).toContain(saved.id);
    }
    const again = await run(...text, "--receipt", file);
    expect([again.code, again.stderr], name).toEqual([2, expect.stringContaining("no receipt is overwritten")]);
    const plan = await run("post", "--file", "-", "--receipt", join(dir, "none"));
    expect([plan.code, plan.stderr], name).toEqual([2, expect.stringContaining("--file")]);
    const nowhere = await inTime(board, () => run("post", "note", "--body", `nowhere, by ${name}`, "--receipt", join(dir, "no", "folder")));
    expect([nowhere.code, nowhere.stderr], name).toEqual([
      1,
      expect.stringContaining("The message is posted, but its receipt cannot be kept"),
    ]);
    expect(nowhere.stdout).toMatch(/^created/);
  }
});

test("client.py refuses a policy in which one witness would count twice, as the other readers do", async () => {
  const [log, one, other] = [signerNamed("log.test/tlog", ED25519), signerNamed("one.test/w"), signerNamed("other.test/w")];
  const witness = (name: string, { key }: Signer) => `witness ${name} ${formatVerifierKey(key)}`;
  const faultOf = async (...lines: readonly string[]) => {
    const policy = [`log ${formatVerifierKey(log.key)}`, ...lines, ""].join("\n");
    const read = await runPython(["-c", "import client, sys; client.read_policy(sys.stdin.read())"], { input: policy });
    return /would count twice/.exec(read.stderr)?.[0] ?? read;
  };
  const two = [witness("one", one), witness("other", other)];
  expect(await faultOf(...two, "group both all one other", "quorum both")).toEqual({ code: 0, stdout: "", stderr: "" });
  expect(await faultOf(...two, "group both 2 one one", "quorum both")).toBe("would count twice");
  expect(await faultOf(...two, "group both 2 one other", "group all all both one", "quorum all")).toBe("would count twice");
  expect(await faultOf(witness("one", one), witness("again", one), "group both all one again", "quorum both")).toBe("would count twice");
});
