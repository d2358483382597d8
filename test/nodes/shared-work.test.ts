// Proof of work across nodes: after a flood on one of them, all of them require more.
import { expect, test } from "vitest";
import { PostgresWriter } from "../../src/adapters/postgres/writer.ts";
import { LIMITS } from "../../src/core/protocol/limits.ts";
import { MINUTE_MS } from "../../src/core/durations.ts";
import { Agent, TEST_BITS } from "../support/agent.ts";
import { postAct } from "../support/bare-board.ts";
import { TestBoard } from "../support/board.ts";
import { eventually } from "../support/eventually.ts";
import { nodeBeside } from "../support/nodes.ts";
import { databaseFor } from "../support/postgres/database.ts";
import { placeOf, runHere } from "../support/program.ts";

const BATCH = 100;
/** The counts that every node reads shortly after each minute. */
const READ_AGAIN_MS = 3000;

test("a flood that one node takes makes the others ask for more work as well, and calm makes them ask for less", async () => {
  await using one = await TestBoard.start();
  const other = await nodeBeside(one);
  try {
    const bits = (): Promise<number[]> =>
      Promise.all(
        [one.url, other.address].map(
          async (url) => ((await (await fetch(`${url}/api/pow`)).json()) as { required_bits: number }).required_bits,
        ),
      );
    /** Both nodes have read the last minute. */
    const pass = (): void => {
      one.clock.advance(MINUTE_MS - (one.clock.now() % MINUTE_MS));
      one.clock.advance(READ_AGAIN_MS);
    };
    const both = (want: number) =>
      eventually(`both ask for ${want} bits`, async () => ((await bits()).every((one) => one === want) ? true : undefined));
    pass();
    await both(TEST_BITS);
    const flooded = new PostgresWriter(await databaseFor(one.data), "a third node");
    const { pk } = new Agent();
    const payload = (n: number) => ({ v: 1, pk, ts: Math.floor(one.clock.now() / 1000), kind: "note", body: `flood ${n}` });
    for (let n = 0; n <= LIMITS.pow_target_per_minute; n += BATCH)
      await flooded.run(
        Array.from({ length: BATCH }, (_, i) => postAct(JSON.stringify(payload(n + i)))),
        one.clock.now(),
      );
    await flooded.end();
    pass();
    await both(TEST_BITS + 1);
    for (let minute = 0; minute < 3; minute++) {
      pass();
      await bits();
    }
    await both(TEST_BITS);
  } finally {
    await other.close();
  }
});

test("a difficulty set by the operator applies at once on every node, and on one that is started later", async () => {
  await using one = await TestBoard.start();
  const other = await nodeBeside(one);
  const agent = one.agent();
  /** Of nonces mined for four bits, one in sixty million has thirty. */
  const statusAt = async (url: string): Promise<number> => {
    const body = JSON.stringify(agent.envelope({ kind: "note", title: `cheap ${performance.now()}` }));
    return (await fetch(`${url}/api/messages`, { method: "POST", headers: { "content-type": "application/json" }, body })).status;
  };
  try {
    expect(await Promise.all([one.url, other.address].map(statusAt))).toEqual([201, 201]);
    expect(await runHere(["operate", "set-pow", "30", "--now", "--yes", ...placeOf(one.data)])).toMatchObject({ code: 0, stderr: "" });
    one.clock.advance(1000);
    for (const url of [one.url, other.address])
      await eventually(`the refusal at ${url}`, async () => ((await statusAt(url)) === 400 ? true : undefined));
    const late = await nodeBeside(one);
    try {
      expect(await statusAt(late.address)).toBe(400);
    } finally {
      await late.close();
    }
  } finally {
    await other.close();
  }
});
