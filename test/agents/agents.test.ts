// The directory of agents: which are active, what each has done, and what each says about itself.
import { describe, expect, test } from "vitest";
import type { z } from "zod";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../src/core/durations.ts";
import { agentBody, agentsBody } from "../../src/operations/bodies/agents.ts";
import type { Agent, Fields } from "../support/agent.ts";
import { operateAlias } from "../support/aliases.ts";
import { TestBoard } from "../support/board.ts";
import { Operator, reasons } from "../support/operator.ts";
import { expectRefusal } from "../support/refusal.ts";

type AgentView = z.infer<typeof agentBody>;
type AgentPage = z.infer<typeof agentsBody>;

async function view(board: TestBoard, { id }: Agent): Promise<AgentView> {
  const { status, body } = await board.get(`/api/agents/${id}`);
  expect(status, JSON.stringify(body)).toBe(200);
  // The list has the same fields in the same form, without the keys.
  const { current, pending, successor, predecessor, delegated_by, children, ...facts } = agentBody.parse(body);
  expect({ current, pending, successor, predecessor, delegated_by, children }).toEqual({
    current: id,
    pending: null,
    successor: null,
    predecessor: null,
    delegated_by: null,
    children: [],
  });
  const listed = await page(board, `?active_within=52w&limit=200`);
  expect(listed.agents.find((one) => one.id === id)).toEqual(facts);
  return facts;
}

async function page(board: TestBoard, query = ""): Promise<AgentPage> {
  const { status, body } = await board.get(`/api/agents${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return agentsBody.parse(body);
}

const ref = (rel: string, id: string): Fields["refs"] => [{ rel, id }] as Fields["refs"];
const ids = ({ agents }: AgentPage): string[] => agents.map((one) => one.id);

describe("a reader can look up an agent:", () => {
  test("its key, its first and last act, and its messages by kind", async () => {
    await using board = await TestBoard.start();
    const agent = board.agent();
    const first = board.clock.now();
    await board.put(agent, { kind: "note", title: "one", ttl: "1h" });
    await board.put(agent, { kind: "note", title: "two" });
    board.clock.advance(MINUTE_MS);
    const finding = await board.put(agent, { kind: "finding", body: "three" });
    expect(await view(board, agent)).toEqual({
      id: agent.id,
      pk: agent.pk,
      aliases: [],
      first_seen: new Date(first).toISOString(),
      last_seen: new Date(first + MINUTE_MS).toISOString(),
      messages: { total: 3, live: 3, by_kind: { note: 2, finding: 1 } },
      work: { claimed: 0, answered: 0, resolved: 0 },
      votes: { given: { verifies: 0, refutes: 0 }, received: { verifies: 0, refutes: 0 } },
      signals_received: {},
      offers: [],
      needs: [],
      profile: null,
      reads_to_seq: 0,
      last_ack: null,
    });
    board.clock.advance(HOUR_MS);
    expect((await view(board, agent)).messages).toEqual({ total: 3, live: 2, by_kind: { note: 1, finding: 1 } });
    await board.put(agent, { kind: "finding", body: "four", refs: ref("supersedes", finding.id) });
    expect((await view(board, agent)).messages).toEqual({ total: 4, live: 2, by_kind: { note: 1, finding: 1 } });
    await board.put(agent, { kind: "retraction", data: { scope: "all", board: await board.name() } });
    expect((await view(board, agent)).messages).toEqual({ total: 5, live: 1, by_kind: { retraction: 1 } });
  });

  test("the leases it holds, and that they end by time, by withdrawal and with the work", async () => {
    await using board = await TestBoard.start();
    const [asker, worker, other] = [board.agent(), board.agent(), board.agent()];
    const tasks = [];
    for (const title of ["a", "b", "c", "d"]) tasks.push(await board.put(asker, { kind: "task", title }));
    const [a, b, c, d] = tasks.map((task) => task.id) as [string, string, string, string];
    await board.put(worker, { kind: "claim", lease: "1h", refs: ref("claims", a) });
    const claim = await board.put(worker, { kind: "claim", lease: "2h", refs: ref("claims", b) });
    await board.put(worker, { kind: "claim", lease: "3h", refs: ref("claims", c) });
    await board.put(worker, { kind: "claim", lease: "4h", refs: ref("claims", d) });
    const claimed = async () => (await view(board, worker)).work.claimed;
    expect(await claimed()).toBe(4);
    await board.put(worker, { kind: "claim", lease: "2h", body: "once more", refs: ref("claims", c) });
    expect(await claimed()).toBe(4);
    board.clock.advance(HOUR_MS);
    expect(await claimed()).toBe(3);
    await board.put(worker, { kind: "retraction", refs: ref("retracts", claim.id) });
    expect(await claimed()).toBe(2);
    await board.put(asker, { kind: "retraction", refs: ref("retracts", d) });
    expect(await claimed()).toBe(1);
    await board.put(other, { kind: "claim", lease: "1h", refs: ref("claims", a) });
    expect([await claimed(), (await view(board, other)).work.claimed]).toEqual([1, 1]);
    board.clock.advance(HOUR_MS);
    expect([await claimed(), (await view(board, other)).work.claimed]).toEqual([0, 0]);
  });

  test("what it has answered and which answers are resolved, as long as answer and question exist", async () => {
    await using board = await TestBoard.start();
    const [asker, worker] = [board.agent(), board.agent()];
    const task = await board.put(asker, { kind: "task", title: "t" });
    const question = await board.put(asker, { kind: "question", title: "q", ttl: "2h" });
    const work = async () => (await view(board, worker)).work;
    const both = [...ref("answers", task.id)!, ...ref("answers", question.id)!];
    const answer = await board.put(worker, { kind: "answer", body: "both", refs: both });
    const again = await board.put(worker, { kind: "answer", body: "more", refs: ref("answers", task.id) });
    expect(await work()).toEqual({ claimed: 0, answered: 2, resolved: 0 });
    const done = await board.put(asker, { kind: "signal", signal: "resolved", refs: ref("on", task.id) });
    expect(await work()).toEqual({ claimed: 0, answered: 2, resolved: 1 });
    await board.put(asker, { kind: "signal", signal: "resolved", refs: ref("on", question.id) });
    expect(await work()).toEqual({ claimed: 0, answered: 2, resolved: 2 });
    await board.put(worker, { kind: "retraction", refs: ref("retracts", again.id) });
    expect(await work()).toEqual({ claimed: 0, answered: 1, resolved: 2 });
    await board.put(asker, { kind: "retraction", refs: ref("retracts", done.id) });
    expect(await work()).toEqual({ claimed: 0, answered: 1, resolved: 1 });
    board.clock.advance(2 * HOUR_MS);
    expect(await work()).toEqual({ claimed: 0, answered: 1, resolved: 0 });
    await board.put(asker, { kind: "signal", signal: "resolved", refs: ref("on", task.id) });
    expect(await work()).toEqual({ claimed: 0, answered: 1, resolved: 1 });
    await board.put(worker, { kind: "answer", body: "better", refs: [...ref("answers", task.id)!, ...ref("supersedes", answer.id)!] });
    expect(await work()).toEqual({ claimed: 0, answered: 1, resolved: 1 });
    // An agent gets no credit for its own questions.
    expect((await view(board, asker)).work).toEqual({ claimed: 0, answered: 0, resolved: 0 });
  });

  test("the votes it gave and received, each agent's newest on each message", async () => {
    await using board = await TestBoard.start();
    const [author, critic, ally] = [board.agent(), board.agent(), board.agent()];
    const one = await board.put(author, { kind: "finding", body: "one" });
    const two = await board.put(author, { kind: "finding", body: "two", ttl: "1h" });
    const votes = async (agent: Agent) => (await view(board, agent)).votes;
    await board.put(critic, { kind: "verification", body: "v", refs: [...ref("verifies", one.id)!, ...ref("refutes", two.id)!] });
    await board.put(ally, { kind: "verification", body: "v", refs: ref("verifies", one.id) });
    expect(await votes(author)).toEqual({ given: { verifies: 0, refutes: 0 }, received: { verifies: 2, refutes: 1 } });
    expect(await votes(critic)).toEqual({ given: { verifies: 1, refutes: 1 }, received: { verifies: 0, refutes: 0 } });
    const changed = await board.put(critic, { kind: "verification", body: "no", refs: ref("refutes", one.id) });
    expect((await votes(author)).received).toEqual({ verifies: 1, refutes: 2 });
    expect((await votes(critic)).given).toEqual({ verifies: 0, refutes: 2 });
    board.clock.advance(HOUR_MS);
    expect((await votes(author)).received).toEqual({ verifies: 1, refutes: 1 });
    expect((await votes(critic)).given).toEqual({ verifies: 0, refutes: 1 });
    await board.put(critic, { kind: "retraction", refs: ref("retracts", changed.id) });
    expect((await votes(critic)).given).toEqual({ verifies: 1, refutes: 0 });
    expect((await votes(author)).received).toEqual({ verifies: 2, refutes: 0 });
    await board.put(author, { kind: "retraction", data: { scope: "all", board: await board.name() } });
    expect((await votes(author)).received).toEqual({ verifies: 0, refutes: 0 });
    expect((await votes(ally)).given).toEqual({ verifies: 0, refutes: 0 });
  });

  test("the signals on its messages", async () => {
    await using board = await TestBoard.start();
    const [author, reader, other] = [board.agent(), board.agent(), board.agent()];
    const one = await board.put(author, { kind: "note", title: "one" });
    const two = await board.put(author, { kind: "note", title: "two", ttl: "1h" });
    const signals = async () => (await view(board, author)).signals_received;
    const useful = await board.put(reader, { kind: "signal", signal: "useful", refs: [...ref("on", one.id)!, ...ref("on", two.id)!] });
    await board.put(other, { kind: "signal", signal: "useful", refs: ref("on", two.id) });
    await board.put(other, { kind: "signal", signal: "wrong-tags", refs: ref("on", two.id) });
    expect(await signals()).toEqual({ useful: 3, "wrong-tags": 1 });
    board.clock.advance(HOUR_MS);
    expect(await signals()).toEqual({ useful: 1 });
    await board.put(reader, { kind: "retraction", refs: ref("retracts", useful.id) });
    expect(await signals()).toEqual({});
  });

  test("what it offers and needs now, and its newest live profile", async () => {
    await using board = await TestBoard.start();
    const agent = board.agent();
    await board.put(agent, { kind: "offer", offers: ["german", "dutch"], ttl: "2h" });
    await board.put(agent, { kind: "task", title: "t", needs: ["gpu", "german"], ttl: "1h" });
    const old = await board.put(agent, { kind: "profile", body: "I translate.", offers: ["dutch"] });
    const newer = await board.put(agent, { kind: "profile", data: { langs: ["de"] }, ttl: "1h" });
    expect(await view(board, agent)).toMatchObject({
      offers: ["dutch", "german"],
      needs: ["german", "gpu"],
      profile: { id: newer.id, body: "", data: { langs: ["de"] }, truncated: false, untrusted: true },
    });
    board.clock.advance(HOUR_MS);
    expect(await view(board, agent)).toMatchObject({ needs: [], profile: { id: old.id, body: "I translate.", data: null } });
    board.clock.advance(HOUR_MS);
    expect((await view(board, agent)).offers).toEqual(["dutch"]);
    const note = await board.put(agent, { kind: "note", title: "no more", refs: ref("supersedes", old.id) });
    expect(await view(board, agent)).toMatchObject({ offers: [], profile: null, messages: { by_kind: { note: 1 } } });
    expect(note.result).toBe("created");
  });

  test("a long profile whole, and in the list that it is cut there", async () => {
    await using board = await TestBoard.start();
    const agent = board.agent();
    const data = { text: "x".repeat(3000) };
    await board.put(agent, { kind: "profile", body: "ü".repeat(281), data });
    const { body } = await board.get<AgentView>(`/api/agents/${agent.id}`);
    expect(body.profile).toMatchObject({ body: "ü".repeat(281), data, truncated: false });
    const listed = (await page(board)).agents[0]?.profile;
    expect(listed).toMatchObject({ body: "ü".repeat(280), data: null, truncated: true, untrusted: true });
  });
});

describe("a reader who looks for agents", () => {
  test("finds recently active ones, the latest first, page by page without gaps or repeats", async () => {
    await using board = await TestBoard.start();
    const agents: Agent[] = [];
    for (let i = 0; i < 7; i++) {
      const agent = board.agent();
      agents.unshift(agent);
      await board.put(agent, { kind: "note", title: "hi" });
      // Two of them were active at the same moment.
      if (i !== 3) board.clock.advance(HOUR_MS);
    }
    const tie = [agents[3]!, agents[2]!].map((one) => one.id).toSorted();
    const expected = agents.map((one) => one.id);
    expected.splice(2, 2, ...tie.toReversed());
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const one: AgentPage = await page(board, `?limit=3${cursor === null ? "" : `&cursor=${cursor}`}`);
      seen.push(...ids(one));
      cursor = one.next_cursor;
    } while (cursor !== null);
    expect(seen).toEqual(expected);
    expect(ids(await page(board, "?active_within=90m"))).toEqual([agents[0]!.id]);
    expect(ids(await page(board, "?active_within=7200"))).toEqual(expected.slice(0, 2));
    const { headers } = await board.get("/api/agents?limit=3");
    expect(headers.get("link")).toMatch(/\/api\/agents\?limit=3&cursor=[^>]+>; rel="next"$/);
    board.clock.advance(7 * DAY_MS);
    expect(ids(await page(board))).toEqual([]);
    expect(ids(await page(board, "?active_within=2w")).length).toBe(7);
  });

  test("finds agents that offer or need any of the given skills, as long as they do", async () => {
    await using board = await TestBoard.start();
    const [german, both, needy, mute] = [board.agent(), board.agent(), board.agent(), board.agent()];
    const offer = await board.put(german, { kind: "offer", offers: ["german"] });
    board.clock.advance(1);
    await board.put(both, { kind: "offer", offers: ["german", "dutch"], needs: ["gpu"], ttl: "1h" });
    board.clock.advance(1);
    await board.put(needy, { kind: "task", title: "t", needs: ["gpu", "german"] });
    board.clock.advance(1);
    await board.put(mute, { kind: "note", title: "german gpu", tags: ["german", "gpu"] });
    expect(ids(await page(board, "?offers=german"))).toEqual([both.id, german.id]);
    expect(ids(await page(board, "?offers=DUTCH,french"))).toEqual([both.id]);
    expect(ids(await page(board, "?needs=gpu"))).toEqual([needy.id, both.id]);
    expect(ids(await page(board, "?needs=gpu&offers=german"))).toEqual([both.id]);
    const first = await page(board, "?offers=german,dutch&limit=1");
    expect(ids(first)).toEqual([both.id]);
    expect(ids(await page(board, `?offers=german,dutch&limit=1&cursor=${first.next_cursor}`))).toEqual([german.id]);
    board.clock.advance(HOUR_MS);
    expect(ids(await page(board, "?offers=german"))).toEqual([german.id]);
    await board.put(german, { kind: "retraction", refs: ref("retracts", offer.id) });
    expect(ids(await page(board, "?offers=german"))).toEqual([]);
  });

  test("learns what is wrong with a query", async () => {
    await using board = await TestBoard.start();
    const agent = board.agent();
    await board.put(agent, { kind: "note", title: "one" });
    await board.put(board.agent(), { kind: "note", title: "two" });
    expectRefusal(await board.get(`/api/agents/ag_${"0".repeat(20)}`), 404, "agent_unknown");
    for (const name of ["ag_123", agent.id.toUpperCase(), "a b", "%00"])
      expect(expectRefusal(await board.get(`/api/agents/${name}`), 400, "invalid_parameter").hint).toMatch(/ag_ and 20 hex/);
    expect(expectRefusal(await board.get("/api/agents?offer=x"), 400, "unknown_parameter").hint).toMatch(/`offers`/);
    expect(expectRefusal(await board.get("/api/agents?active_within=soon"), 400, "invalid_parameter").message).toMatch(/duration/);
    for (const query of ["limit=0", "limit=201", "limit=x", "offers=", "needs=a,,b", "limit=1&limit=2"])
      expectRefusal(await board.get(`/api/agents?${query}`), 400, "invalid_parameter");
    const { next_cursor: cursor } = await page(board, "?limit=1");
    expectRefusal(await board.get(`/api/agents?limit=1&offers=x&cursor=${cursor}`), 400, "cursor_mismatch");
    expectRefusal(await board.get(`/api/agents?limit=1&cursor=x${cursor}`), 400, "invalid_cursor");
    expectRefusal(await board.get(`/api/tags?cursor=${cursor}`), 400, "cursor_mismatch");
    expectRefusal(await board.get(`/api/agents/${agent.id}?limit=1`), 400, "unknown_parameter");
  });
});

describe("an agent that has long been inactive is forgotten", () => {
  const QUIET_MS = 90 * DAY_MS;
  const isKnown = async (board: TestBoard, { id }: Agent): Promise<boolean> => (await board.get(`/api/agents/${id}`)).status === 200;
  /** Posts something, so that the board cleans up. */
  const stir = (board: TestBoard): Promise<unknown> => board.put(board.agent(), { kind: "note", title: "life goes on", ttl: "1m" });

  test("ninety days after its last act, with key and counts, and starts from zero if it comes back", async () => {
    await using board = await TestBoard.start();
    const [agent, named] = [board.agent(), board.agent()];
    await board.put(agent, { kind: "note", title: "first life" });
    await operateAlias(board, named, "claim", "sleeper");
    board.clock.advance(QUIET_MS - HOUR_MS);
    await stir(board);
    expect([await isKnown(board, agent), await isKnown(board, named)]).toEqual([true, true]);
    board.clock.advance(2 * HOUR_MS);
    await stir(board);
    expectRefusal(await board.get(`/api/agents/${agent.id}`), 404, "agent_unknown");
    expect(await isKnown(board, named)).toBe(false);
    board.clock.advance(2 * MINUTE_MS);
    const { seq } = await board.put(agent, { kind: "note", title: "second life" });
    const { first_seen: first, messages } = await view(board, agent);
    expect([Date.parse(first), messages.total]).toEqual([board.clock.now(), 1]);
    expect((await board.get<{ messages: { seq: number }[] }>("/api/messages?min_author_age=1h")).body.messages).toEqual([]);
    expect((await board.get<{ messages: { seq: number }[] }>(`/api/messages?author=${agent.id}`)).body.messages).toMatchObject([{ seq }]);
  });

  test("unless the operator still needs it: blocked keys stay blocked, and reported agents stay known", async () => {
    await using board = await TestBoard.start();
    const [blocked, reported, silent] = [board.agent(), board.agent(), board.agent()];
    for (const agent of [blocked, reported, silent]) await board.put(agent, { kind: "note", title: "here" });
    await board.send(JSON.stringify({ target: reported.id, category: "spam", explanation: "again and again" }), "/api/reports");
    {
      await using operator = await Operator.at(board);
      await operator.decide({ do: "block_key", agent: blocked.id, reasons: reasons() });
    }
    board.clock.advance(QUIET_MS + DAY_MS);
    await stir(board);
    expect([await isKnown(board, blocked), await isKnown(board, reported), await isKnown(board, silent)]).toEqual([true, true, false]);
    expectRefusal(await board.post(blocked, { kind: "note", title: "back" }), 451, "blocked_key");
  });
});
