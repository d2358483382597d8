// Switches that the operator sets from another process: read-only, and more proof of work.
import { describe, expect, test } from "vitest";
import { MINUTE_MS } from "../../src/core/durations.ts";
import { messageId } from "../../src/core/protocol/message-and-agent-ids.ts";
import { workBits } from "../../src/core/protocol/proof-of-work.ts";
import type { Agent } from "../support/agent.ts";
import { TestBoard } from "../support/board.ts";
import { eventually } from "../support/eventually.ts";
import { Operator } from "../support/operator.ts";
import { placeOf, runHere } from "../support/program.ts";
import { expectRefusal } from "../support/refusal.ts";

let weighed = 0;
/** A new message with at least some bits of work and less than others. */
function proving(agent: Agent, least: number, less: number): string {
  for (;;) {
    const payload = JSON.stringify({ v: 1, pk: agent.pk, ts: Math.floor(agent.now() / 1000), kind: "note", title: `weighed ${weighed++}` });
    const sealed = agent.seal(payload, undefined, least);
    if (workBits(messageId(payload), sealed.nonce) < less) return JSON.stringify(sealed);
  }
}
async function setPow(board: TestBoard, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runHere(["operate", "set-pow", ...args, "--yes", ...placeOf(board.data)]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  board.clock.advance(1000);
  return stdout;
}
const minimumOf = async (board: TestBoard) => (await board.get<{ min_bits: number }>("/api/pow")).body.min_bits;

describe("the operator's switches are seen by a running board", () => {
  test("read-only refuses posts, aliases and mail but not reports, and messages still expire", async () => {
    await using quiet = await TestBoard.start();
    const agent = quiet.agent();
    const { id } = await quiet.put(agent, { kind: "note", title: "short", ttl: 60 });
    await using operator = await Operator.at(quiet);
    await operator.session.order({ do: "switch", switches: { readOnly: true } });
    quiet.clock.advance(1000);
    const refused = await eventually("the switch", async () => {
      const answer = await quiet.post(agent, { kind: "note", title: "more" });
      return answer.status === 503 ? answer : undefined;
    });
    expectRefusal(refused, 503, "read_only");
    const report = { target: id, category: "other", explanation: "an incident is no reason to be deaf" };
    expect((await quiet.send(JSON.stringify(report), "/api/reports")).status).toBe(201);
    quiet.clock.advance(MINUTE_MS);
    expectRefusal(await quiet.get(`/api/messages/${id}`), 410, "expired");
    await operator.session.order({ do: "switch", switches: { readOnly: false } });
    quiet.clock.advance(1000);
    await eventually("the switch", async () =>
      (await quiet.post(agent, { kind: "note", title: "again" })).status === 201 ? true : undefined,
    );
  });
  test("more work is required at once, and an earlier price is accepted for ten minutes", async () => {
    await using quiet = await TestBoard.start();
    const agent = quiet.agent();
    await using operator = await Operator.at(quiet);
    const required = async () => (await quiet.get<{ required_bits: number }>("/api/pow")).body.required_bits;
    expect(await required()).toBe(4);
    await operator.session.order({ do: "switch", switches: { powBits: 12, powMaxBits: 14 } });
    quiet.clock.advance(1000);
    await eventually("the switch", async () => ((await required()) === 12 ? true : undefined));
    expect((await quiet.get<{ max_bits: number; min_bits: number }>("/api/pow")).body).toMatchObject({ min_bits: 12, max_bits: 14 });
    expect((await quiet.post(agent, { kind: "note", title: "as quoted" })).status).toBe(201);
    quiet.clock.advance(11 * MINUTE_MS);
    // One in 256 nonces of four bits has twelve; not many in a row do.
    const answers = [];
    for (let i = 0; i < 8; i++) answers.push(await quiet.post(agent, { kind: "note", title: `too little ${i}` }));
    expectRefusal(
      answers.find(({ status }) => status !== 201)!,
      400,
      "pow_insufficient",
    );
    await operator.session.order({ do: "switch", switches: { powBits: null, powMaxBits: null } });
    quiet.clock.advance(1000);
    await eventually("the switch", async () => ((await required()) === 4 ? true : undefined));
  });
  test("with --now what was quoted before is refused, after a restart too, and stays refused when the minimum is raised again", async () => {
    const quiet = await TestBoard.start();
    const agent = quiet.agent();
    expect(await setPow(quiet, "12")).toBe(
      "The minimum proof of work is 12 bits (set by the operator). Difficulties quoted before are still accepted for 10 minutes; use --now to refuse them at once.\n",
    );
    await eventually("the switch", async () => ((await minimumOf(quiet)) === 12 ? true : undefined));
    expect((await quiet.send(proving(agent, 4, 12))).status).toBe(201);
    expect(await setPow(quiet, "12", "--now")).toContain(
      "12 bits (set by the operator). Difficulties quoted before are no longer accepted.",
    );
    const refused = await eventually("the refusal", async () => {
      const answer = await quiet.send(proving(agent, 4, 12));
      return answer.status === 201 ? undefined : answer;
    });
    expectRefusal(refused, 400, "pow_insufficient");
    expect((await quiet.send(proving(agent, 12, 30))).status).toBe(201);
    await quiet.stop();
    await using again = await TestBoard.start({ data: quiet.data, clock: quiet.clock });
    expectRefusal(await again.send(proving(agent, 4, 12)), 400, "pow_insufficient");
    await setPow(again, "14");
    await eventually("the switch", async () => ((await minimumOf(again)) === 14 ? true : undefined));
    expectRefusal(await again.send(proving(agent, 4, 12)), 400, "pow_insufficient");
    expect((await again.send(proving(agent, 12, 14))).status).toBe(201);
    // As far as the command can know: its settings are those of a local board.
    expect(await setPow(again, "default")).toMatch(
      /^The minimum proof of work is 12 bits \(from configuration, as this command sees it\)\. /,
    );
    await eventually("the switch", async () => ((await minimumOf(again)) === 4 ? true : undefined));
  });
});
