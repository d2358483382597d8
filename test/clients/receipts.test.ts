// Receipts as three readers see them: the command, client.py and the TypeScript client agree, on what holds and on what does not.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { connect } from "../../src/client/connect.ts";
import { TlogError, verifyHead, verifyReceipt } from "../../src/client/tlog.ts";
import { WitnessState } from "../../src/cli/witness/state.ts";
import { followOnce } from "../../src/cli/witness/follow.ts";
import { TestBoard } from "../support/board.ts";
import { notes, putAll } from "../support/crowd.ts";
import { inTime } from "../support/in-time.ts";
import { emptyDirectory } from "../support/process.ts";
import { runHere } from "../support/program.ts";
import { CLIENT, runPython } from "../support/python.ts";
import { policyFile, signerNamed } from "../support/witness.ts";

const HEADS = `
import sys

import client
board = client.Board(sys.argv[1])
policy = client.read_policy(board.policy())
known = client.check_head(open(sys.argv[2]).read(), policy)
print(board.verify_head(policy, known).size)
`;

test("a receipt holds for every client, offline, and nothing else does", async () => {
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
  await followOnce(at, new WitnessState(join(emptyDirectory(), "state")), witness, () => Math.floor(board.clock.now() / 1000));
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
  // No address leads anywhere: all of it is offline.
  const clients = {
    blackboard: (...args: string[]) => runHere(["verify-receipt", ...args, "--url", "http://127.0.0.1:9", "--json"]),
    python: (...args: string[]) => runPython([CLIENT, "--url", "http://127.0.0.1:9", "--json", "verify-receipt", ...args]),
  };
  const good = file("answer", JSON.stringify(answer.body));
  const moved = receipt.proof.replace(/^index \d+$/m, "index 3");
  for (const [name, verify] of Object.entries(clients)) {
    const { code, stdout } = await verify(good, "--policy", trusted, "--message", message);
    expect([name, code]).toEqual([name, 0]);
    expect(JSON.parse(stdout), name).toMatchObject({ origin: "board.test/tlog", seq, type: "create", id });
    expect(JSON.stringify(JSON.parse(stdout)), name).toContain("witness.test/w");
    expect((await verify(good, "--policy", trusted, "--message", other)).code, name).toBe(4);
    expect((await verify(file("moved", moved), "--policy", trusted)).code, name).toBe(4);
  }
  expect(await verifyReceipt(receipt.proof, policy, envelope)).toMatchObject({ seq, id, witnesses: [{ name: "witness.test/w" }] });
  await expect(verifyReceipt(moved, policy)).rejects.toThrow(TlogError);

  // The next head goes on from the last one that was verified.
  board.clock.advance(11_000);
  await followOnce(at, new WitnessState(join(emptyDirectory(), "state")), witness, () => Math.floor(board.clock.now() / 1000));
  expect((await verifyHead(at, policy, head.note)).size).toBe(571);
  const python = await runPython(["-c", HEADS, board.url, file("head", head.note)]);
  expect([python.code, python.stdout]).toEqual([0, "571\n"]);
});
