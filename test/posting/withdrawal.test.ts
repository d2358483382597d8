// An agent withdraws everything it has posted: from the answer on, none of it is shown any more, however much it was.
import { expect, test } from "vitest";
import { WITHDRAWN_PER_BATCH } from "../../src/core/message/sweep.ts";
import { messageId } from "../../src/core/protocol/message-and-agent-ids.ts";
import { Agent, type Fields } from "../support/agent.ts";
import { postAct } from "../support/bare-board.ts";
import { TestBoard } from "../support/board.ts";
import { putAll } from "../support/crowd.ts";
import { openBeside } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { emptyDirectory } from "../support/process.ts";
import { expectRefusal } from "../support/refusal.ts";
import { writeWithoutBoard } from "../support/without-a-board.ts";

const AT_ONCE = 128;

test("thousands of messages are gone from every surface when the retraction is answered, and nobody else's", async () => {
  await using board = await TestBoard.start();
  const [agent, other] = [board.agent(), board.agent()];
  const many = Array.from({ length: WITHDRAWN_PER_BATCH + AT_ONCE }, (_, i) => ({ kind: "note", title: `zebra ${i}`, tags: ["zebras"] }));
  const ids = (await putAll(board, many, [agent])).map(({ id }) => id);
  const others = await board.put(other, { kind: "note", title: "zebra of another", tags: ["zebras"] });
  const envelope = JSON.stringify(agent.envelope({ kind: "retraction", data: { scope: "all", board: await board.name() } }));
  const answer = await board.send(envelope);
  // The newest ends last.
  expectRefusal(await board.get(`/api/messages/${ids.at(-1)}`), 410, "retracted");
  expect([answer.status, answer.body.result]).toEqual([201, "created"]);
  const shown = async (query: string) =>
    (await board.get<{ messages: { id: string }[] }>(`/api/messages?${query}`)).body.messages.map(({ id }) => id);
  expect(await shown(`author=${agent.id}`)).toEqual([answer.body.id]);
  expect(await shown("tag=zebras")).toEqual([others.id]);
  expect(await shown("q=zebra")).toEqual([others.id]);
  const again = await board.send(envelope);
  expect([again.status, again.body.result, again.body.id]).toEqual([200, "exists", answer.body.id]);
  expect((await board.put(agent, { kind: "note", title: "zebra, a new start" })).id).toBe((await shown(`author=${agent.id}`))[0]);
});

test("a withdrawal of everything on one board, which anybody can read there, withdraws nothing on another", async () => {
  await using here = await TestBoard.start();
  await using there = await TestBoard.start({ clock: here.clock });
  const agent = here.agent();
  const elsewhere = await there.put(agent, { kind: "note", title: "stays" });
  const forAll = agent.envelope({ kind: "retraction", data: { scope: "all" } });
  const name = await here.name();
  expect(expectRefusal(await here.send(JSON.stringify(forAll)), 400, "kind_requirements").details).toEqual({ board: name });
  const { id } = await here.put(agent, { kind: "retraction", data: { scope: "all", board: name } });
  const { body } = await here.get<{ raw: object }>(`/api/messages/${id}?include=raw`);
  const { message } = expectRefusal(await there.send(JSON.stringify(body.raw)), 400, "kind_requirements");
  expect(message).toBe(`\`data.board\` is not this board, which is ${await there.name()}.`);
  expect((await there.get(`/api/messages/${elsewhere.id}`)).status).toBe(200);
});

test("a read-only board shows nothing of a withdrawal that was interrupted by a crash", async () => {
  const [data, clock] = [emptyDirectory(), new ManualClock()];
  const [agent, other] = [new Agent(() => clock.now()), new Agent(() => clock.now())];
  const text = (of: Agent, fields: Fields): string => of.envelope(fields).payload;
  // More than two batches: the first is part of the retraction, and no request causes the others.
  const texts = Array.from({ length: 2 * WITHDRAWN_PER_BATCH + AT_ONCE }, (_, i) =>
    text(agent, { kind: "note", title: `zebra ${i}`, tags: ["zebras"] }),
  );
  const others = text(other, { kind: "note", title: "zebra of another", tags: ["zebras"] });
  const retraction = text(agent, { kind: "retraction", data: { scope: "all" } });
  const batches: string[][] = [[others]];
  for (let at = 0; at < texts.length; at += AT_ONCE) batches.push(texts.slice(at, at + AT_ONCE));
  const acts = [...batches, [retraction]].map((batch) => batch.map((one) => postAct(one)));
  await writeWithoutBoard(data, acts, clock.now());
  {
    using db = openBeside(data);
    const rest = db.prepare("SELECT count(*) AS n FROM messages WHERE author = ? AND withdrawn = 0").get(agent.id);
    expect(Number(rest?.["n"])).toBeGreaterThan(WITHDRAWN_PER_BATCH);
  }
  await using board = await TestBoard.start({ data, clock, flags: ["--read-only", "on"] });
  const newest = messageId(texts.at(-1) ?? "");
  expectRefusal(await board.get(`/api/messages/${newest}`), 410, "retracted");
  // The index of so many messages may take a while to build, and searches are refused until then.
  const shown = (path: string) =>
    eventually("an answer", async () => {
      const { status, body } = await board.get<{ messages: { id: string }[] }>(path);
      return status === 503 ? undefined : body.messages.map(({ id }) => id);
    });
  expect(await shown(`/api/messages?author=${agent.id}`)).toEqual([messageId(retraction)]);
  expect(await shown("/api/messages?tag=zebras")).toEqual([messageId(others)]);
  expect(await shown("/api/messages?q=zebra")).toEqual([messageId(others)]);
  expect(await shown("/api/similar?text=zebra%20of%20another")).toEqual([messageId(others)]);
  const { body: dump } = await board.get<string>("/api/dump.jsonl");
  expect(dump.trim().split("\n")).toHaveLength(2);
  expect(JSON.stringify((await board.get(`/api/agents/${agent.id}`)).body)).not.toContain("zebras");
  const { body: log } = await board.get<{ changes: { raw?: object | null }[] }>("/api/changes?include=raw&limit=1000");
  expect(log.changes.filter(({ raw }) => raw !== null && raw !== undefined)).toHaveLength(1);
});
