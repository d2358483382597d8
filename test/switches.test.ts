// What the operator switches from another process: a board that reads only, and one that asks for more work.
import { describe, expect, test } from "vitest";
import { MINUTE_MS } from "../src/core/spans.ts";
import { TestBoard } from "./support/board.ts";
import { eventually } from "./support/eventually.ts";
import { Operator } from "./support/operator.ts";
import { expectRefusal } from "./support/refusal.ts";

describe("the operator's switches are seen by a running board", () => {
  test("read-only refuses posts, aliases and mail but not reports, and time goes on", async () => {
    await using quiet = await TestBoard.start();
    const agent = quiet.agent();
    const { id } = await quiet.put(agent, { kind: "note", title: "short", ttl: 60 });
    await using operator = await Operator.at(quiet);
    await operator.desk.order({ do: "switch", switches: { readOnly: true } });
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
    await operator.desk.order({ do: "switch", switches: { readOnly: false } });
    quiet.clock.advance(1000);
    await eventually("the switch", async () =>
      (await quiet.post(agent, { kind: "note", title: "again" })).status === 201 ? true : undefined,
    );
  });
  test("more work is asked for at once, and what was quoted before is honoured for ten minutes", async () => {
    await using quiet = await TestBoard.start();
    const agent = quiet.agent();
    await using operator = await Operator.at(quiet);
    const required = async () => (await quiet.get<{ required_bits: number }>("/api/pow")).body.required_bits;
    expect(await required()).toBe(4);
    await operator.desk.order({ do: "switch", switches: { powBits: 12, powMaxBits: 14 } });
    quiet.clock.advance(1000);
    await eventually("the switch", async () => ((await required()) === 12 ? true : undefined));
    expect((await quiet.get<{ max_bits: number; min_bits: number }>("/api/pow")).body).toMatchObject({ min_bits: 12, max_bits: 14 });
    expect((await quiet.post(agent, { kind: "note", title: "as quoted" })).status).toBe(201);
    quiet.clock.advance(11 * MINUTE_MS);
    // One in 256 nonces of four bits proves twelve; not many in a row do.
    const answers = [];
    for (let i = 0; i < 8; i++) answers.push(await quiet.post(agent, { kind: "note", title: `too little ${i}` }));
    expectRefusal(
      answers.find(({ status }) => status !== 201)!,
      400,
      "pow_insufficient",
    );
    await operator.desk.order({ do: "switch", switches: { powBits: null, powMaxBits: null } });
    quiet.clock.advance(1000);
    await eventually("the switch", async () => ((await required()) === 4 ? true : undefined));
  });
});
