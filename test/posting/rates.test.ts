// Rate limits for callers: who is counted, what a refusal says, and when it ends.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { LIMITS } from "../../src/core/protocol/limits.ts";
import { messageId } from "../../src/core/protocol/message-and-agent-ids.ts";
import { workBits } from "../../src/core/protocol/proof-of-work.ts";
import { type Agent, ALIAS_BITS, TEST_BITS } from "../support/agent.ts";
import { type Answer, TestBoard } from "../support/board.ts";
import { openBeside, plantAgent, plantBlock, rowCounts } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { head, rawRequest, statusesOf } from "../support/raw-request.ts";
import { expectRefusal } from "../support/refusal.ts";

const limited = (...flags: string[]) => TestBoard.start({ flags: ["--rate-limits", "on", ...flags] });
const from = (address: string) => ({ "x-forwarded-for": address });

/** Checks everything that a 429 promises: the scope, the wait, and the same in headers. */
function expectLimited(answer: Answer<unknown>, scope: string, seconds: number, policy: string): void {
  const error = expectRefusal(answer, 429, "rate_limited");
  expect(error.details).toMatchObject({ scope, retry_after_s: seconds });
  expect(answer.headers.get("retry-after")).toBe(String(seconds));
  expect(answer.headers.get("ratelimit")).toBe(`"${scope}";r=0;t=${seconds}`);
  expect(answer.headers.get("ratelimit-policy")).toBe(`"${scope}";${policy}`);
}

async function times(count: number, send: (i: number) => Promise<Answer<unknown>>): Promise<number[]> {
  const statuses: number[] = [];
  for (let i = 0; i < count; i++) statuses.push((await send(i)).status);
  return statuses;
}
const all = (count: number, status: number) => Array.from({ length: count }, () => status);
const note = (i: number) => ({ kind: "note", body: `note ${i}` });
const read = (board: TestBoard, headers: Record<string, string> = {}) => board.get("/api/time", { headers });
/** Sends requests on one connection without waiting for the answers, which takes a fraction of the time. */
const reads = (board: TestBoard, count: number, headers: (i: number) => Record<string, string> = () => ({})) =>
  statusesOf(
    board.url,
    Array.from({ length: count }, (_, i) => ["GET /api/time", headers(i)] as const),
  );
const readUp = (board: TestBoard, headers: Record<string, string> = {}) => reads(board, 300, () => headers);

/** Uses up an agent's writes. */
async function exhaust(board: TestBoard, agent: Agent): Promise<void> {
  expect(await times(20, (i) => board.post(agent, note(i)))).toEqual(all(20, 201));
}

describe("one address cannot take the board from others", () => {
  test("writes: 60 at once, then two a second", async () => {
    await using board = await limited();
    expect(await times(60, () => board.send("nonsense"))).toEqual(all(60, 400));
    expectLimited(await board.send("nonsense"), "writes", 1, "q=60;w=30");
    board.clock.advance(31);
    expectLimited(await board.send("nonsense"), "writes", 1, "q=60;w=30");
    board.clock.advance(1);
    expect(await times(2, () => board.send("nonsense"))).toEqual([400, 429]);
    board.clock.advance(500);
    expect(await times(2, () => board.send("nonsense"))).toEqual([400, 429]);
    board.clock.advance(30_500);
    expect(await times(61, () => board.send("nonsense"))).toEqual([...all(60, 400), 429]);
  });
  test("reads: 300 at once, then 20 a second, HEAD and refused ones included; writes have a bucket of their own", async () => {
    await using board = await limited();
    expect(await reads(board, 298)).toEqual(all(298, 200));
    expect((await board.get("/api/messages/ffffffff")).status).toBe(404);
    expect((await fetch(`${board.url}/api/time`, { method: "HEAD" })).status).toBe(200);
    expectLimited(await read(board), "reads", 1, "q=300;w=15");
    expect((await board.get("/healthz")).status).toBe(200);
    expect((await board.post(board.agent(), note(0))).status).toBe(201);
    board.clock.advance(1000);
    expect(await reads(board, 21)).toEqual([...all(20, 200), 429]);
  });
  test("requests that many connections send at once, one behind the other, are all answered", async () => {
    await using board = await limited();
    const answers = await Promise.all(Array.from({ length: 20 }, () => reads(board, 40)));
    expect(answers.flat().toSorted((a, b) => a - b)).toEqual([...all(300, 200), ...all(500, 429)]);
  });
  test("processor time: a request that takes long costs more, and is refused if its caller has no more", async () => {
    await using board = await TestBoard.start({ flags: ["--rate-limits", "on"], tokenMs: 1e-6 });
    const long = JSON.stringify(board.agent().envelope({ kind: "note", body: "word ".repeat(60_000) }));
    // Processor time is told in steps of some milliseconds: one request may seem to take none.
    const refused = await eventually("a refusal for processor time", async () => {
      const tried = await board.send(long, "/api/messages?dry_run=1");
      return tried.status === 429 ? tried : undefined;
    });
    const error = expectRefusal(refused, 429, "rate_limited");
    expect(error.details).toMatchObject({ scope: "writes", cost_ms: expect.any(Number) as number });
    expect(error.message).toMatch(/this request took \d+ ms of processor time/);
    expect(error.hint).toContain("shorter texts");
    expect((await board.get("/healthz")).status).toBe(200);
  });
  test("a post that is refused for its processor time is not on the board, and one that is on the board is not refused", async () => {
    await using board = await TestBoard.start({ flags: ["--rate-limits", "on", "--trusted-proxies", "127.0.0.1"], tokenMs: 1e-6 });
    for (let i = 0; i < 20; i++) {
      const envelope = board.agent().envelope({ kind: "question", title: `Which word is ${i}?`, body: `word ${i} `.repeat(500) });
      const { status } = await board.send(JSON.stringify(envelope), "/api/messages?targets=1", from(`203.0.113.${i}`));
      const found = await board.get(`/api/messages/${messageId(envelope.payload)}`, { headers: from(`203.0.113.${100 + i}`) });
      expect([201, 429]).toContain(status);
      expect(found.status).toBe(status === 201 ? 200 : 404);
    }
  });
  test("requests for unknown addresses and files, wrong methods, OPTIONS, probes and metrics count as reads too", async () => {
    await using board = await limited();
    const asked = [
      () => board.get("/nothing/here"),
      () => board.get("/assets/nothing.js"),
      () => board.send("{}", "/api/time"),
      () => board.get("/api/time", { method: "OPTIONS" }),
      () => board.get("/mcp", { method: "OPTIONS" }),
      () => board.get("/readyz"),
      () => board.get("/readyz/writing"),
      () => board.get("/metrics"),
    ];
    const style = /\/assets\/[\w.-]+\.css/.exec(await (await fetch(board.url, { headers: { accept: "text/html" } })).text())?.[0] ?? "";
    expect(await times(3, () => board.get(style))).toEqual(all(3, 200));
    for (const ask of asked) expect(new Set(await times(36, ask)).size).toBe(1);
    await times(300 - 1 - 8 * 36, () => read(board));
    for (const ask of asked) expectLimited(await ask(), "reads", 1, "q=300;w=15");
    for (const free of ["/healthz", style]) expect((await board.get(free)).status, free).toBe(200);
  });
  test("metrics: the processor time that they take is charged to who asks for them", async () => {
    await using board = await TestBoard.start({ flags: ["--rate-limits", "on"], tokenMs: 1e-6 });
    const refused = await eventually("a refusal for processor time", async () => {
      const tried = await board.get("/metrics");
      return tried.status === 429 ? tried : undefined;
    });
    expect(expectRefusal(refused, 429, "rate_limited").details).toMatchObject({ scope: "reads", cost_ms: expect.any(Number) as number });
  });
  test("connections: 500 at once, and one that is closed frees its place; behind a proxy that is known they do not count", async () => {
    await using board = await TestBoard.start({ flags: ["--rate-limits", "on"] });
    const ask = (socket: Socket): unknown => socket.write("GET /healthz HTTP/1.1\r\nhost: board.test\r\n\r\n");
    /** A connection that has its first answer, unless it was refused. */
    const opened = async (to: TestBoard): Promise<Socket | undefined> => {
      const { hostname, port } = new URL(to.url);
      const socket = connect(Number(port), hostname).on("error", () => {});
      ask(socket);
      const [answer] = (await once(socket, "data")) as [Buffer];
      return answer.toString().startsWith("HTTP/1.1 200 ") ? socket.resume() : undefined;
    };
    const open: Socket[] = [];
    // The board closes connections that ask for nothing.
    const alive = setInterval(() => open.forEach(ask), 20_000);
    onTestFinished(() => clearInterval(alive));
    const openMore = async (): Promise<unknown> => open.push(await eventually("one more", () => opened(board)));
    while (open.length < 499) await openMore();
    expect((await rawRequest(board.url, head("GET /api/time"))).status).toBe(200);
    await openMore();
    const refused = await eventually("a refusal", async () => {
      const answer = await rawRequest(board.url, head("GET /api/time"));
      return answer.status === 200 ? undefined : answer;
    });
    expect(expectRefusal(refused, 429, "overloaded")).toMatchObject({
      message: "This address has 500 connections open; 500 are allowed.",
      details: { at_once: 500 },
    });
    expect(refused.headers.get("retry-after")).toBe("1");
    open.pop()?.destroy();
    await eventually("room", async () => ((await rawRequest(board.url, head("GET /api/time"))).status === 200 ? true : undefined));
    for (const socket of open) socket.destroy();
    await using proxied = await TestBoard.start({ flags: ["--rate-limits", "on", "--trusted-proxies", "127.0.0.1"] });
    const many = await Promise.all(Array.from({ length: 520 }, () => opened(proxied)));
    expect((await proxied.get("/api/time", { headers: from("203.0.113.9") })).status).toBe(200);
    for (const socket of many) socket?.destroy();
  });
  test("a caller that disconnects before its request is complete is no fault of the board, and no line in its log", async () => {
    const log: string[] = [];
    await using board = await TestBoard.start({ log });
    const { hostname, port } = new URL(board.url);
    for (let round = 0; round < 3; round++) {
      const sockets = Array.from({ length: 30 }, () => connect(Number(port), hostname).on("error", () => {}));
      // Reset in the same turn, before the board has accepted the connection: it never learns the address.
      for (const socket of sockets) {
        socket.once("connect", () => {
          socket.write("GET /api/stats HTTP/1.1\r\nhost: board.test\r\n\r\n");
          socket.resetAndDestroy();
        });
      }
      await Promise.all(sockets.map((socket) => once(socket, "close")));
      await read(board);
    }
    expect((await board.get<string>("/metrics")).body).toContain('blackboard_faults_total{place="request"} 0');
    expect(log.join("")).not.toContain('"fault"');
  });
  test("nothing else is looked at first: not the size, not the type", async () => {
    await using board = await limited();
    await times(60, () => board.send("nonsense"));
    expectLimited(await board.send(" ".repeat(LIMITS.request_bytes + 1)), "writes", 1, "q=60;w=30");
    expectLimited(await board.send("nonsense", "/api/messages", { "content-type": "text/plain" }), "writes", 1, "q=60;w=30");
  });
});

describe("a team behind one address", () => {
  const EXTRA = 4;
  /** With exactly this many bits more than required, so that luck changes nothing. */
  function worked(agent: Agent, i: number, extra: number): string {
    for (let n = 0; ; n++) {
      const envelope = agent.envelope({ ...note(i), title: `try ${n}` });
      if (workBits(messageId(envelope.payload), envelope.nonce) === TEST_BITS + extra) return JSON.stringify(envelope);
    }
  }
  const allowanceIn = ({ headers }: Answer<unknown>) => headers.get("ratelimit");
  const useUp = (board: TestBoard) => times(60, () => board.send("nonsense"));

  test("buys allowance with work: each bit more halves what a post takes, and so posts sixteen times as much", async () => {
    await using board = await limited();
    const team = Array.from({ length: 4 }, () => board.agent());
    await useUp(board);
    board.clock.advance(2000);
    const statuses = await times(70, (i) => board.send(worked(team[i % 4]!, i, EXTRA)));
    expect(statuses).toEqual([...all(64, 201), ...all(6, 429)]);
    board.clock.advance(2000);
    expect(await times(20, (i) => board.send(worked(team[i % 4]!, 100 + i, 2)))).toEqual([...all(16, 201), ...all(4, 429)]);
    board.clock.advance(2000);
    expect(await times(6, (i) => board.send(worked(team[i % 4]!, 200 + i, 0)))).toEqual([...all(4, 201), 429, 429]);
  });
  test("learns from a 429 how much work is enough now, and that more work helps neither a fast agent nor larger posts", async () => {
    await using board = await limited();
    const agent = board.agent();
    await exhaust(board, agent);
    const hurried = expectRefusal(await board.post(agent, note(20)), 429, "rate_limited");
    expect(hurried.details).toMatchObject({ scope: "agent_writes", bits_for_now: null });
    await useUp(board);
    const error = expectRefusal(await board.send("nonsense"), 429, "rate_limited");
    expect(error.details).toMatchObject({ scope: "writes", bits_for_now: TEST_BITS + EXTRA });
    expect(error.hint).toContain(`${TEST_BITS + EXTRA} bits of proof of work`);
    const alias = expectRefusal(await board.send("nonsense", "/api/aliases"), 429, "rate_limited");
    expect(alias.details).toMatchObject({ scope: "writes", bits_for_now: ALIAS_BITS + EXTRA });
    const prepared = expectRefusal(await board.send("nonsense", "/api/assist/prepare"), 429, "rate_limited");
    expect(prepared.details).toMatchObject({ scope: "writes", bits_for_now: null });
    expect(expectRefusal(await board.post(agent, note(21)), 429, "rate_limited").details).toMatchObject({ scope: "writes" });
  });
  test("sees with every answer to a write how much allowance is left, also with one that is refused, and a dry run takes a whole token", async () => {
    await using board = await limited();
    const agent = board.agent();
    const policy = '"writes";q=60;w=30';
    const posted = await board.send(worked(agent, 0, 1));
    expect([posted.status, allowanceIn(posted)]).toEqual([201, '"writes";r=59;t=1, "agent_writes";r=19;t=3']);
    expect(posted.headers.get("ratelimit-policy")).toBe(`${policy}, "agent_writes";q=20;w=60`);
    expect(allowanceIn(await board.send(worked(agent, 1, 1)))).toBe('"writes";r=59;t=1, "agent_writes";r=18;t=6');
    const dry = await board.send(worked(agent, 2, EXTRA), "/api/messages?dry_run=1");
    expect([dry.status, allowanceIn(dry)]).toEqual([200, '"writes";r=58;t=1, "agent_writes";r=18;t=6']);
    const refused = await board.send("nonsense", "/api/aliases");
    expect([refused.status, allowanceIn(refused), refused.headers.get("ratelimit-policy")]).toEqual([400, '"writes";r=57;t=2', policy]);
    const report = await board.send("{}", "/api/reports");
    expect([report.status, allowanceIn(report)]).toEqual([400, '"reports";r=5;t=0']);
    expect(allowanceIn(await read(board))).toBeNull();
    board.clock.advance(60_000);
    expect(allowanceIn(await board.send("nonsense"))).toBe('"writes";r=59;t=1');
  });
  test("has alias operations count in the same way, above the work that they need", async () => {
    await using board = await limited();
    const agent = board.agent();
    const claim = (alias: string, extra: number): string => {
      for (let n = 0; ; n++) {
        const payload = JSON.stringify({
          v: 1,
          pk: agent.pk,
          ts: Math.floor(board.clock.now() / 1000),
          op: "claim",
          alias: `${alias}-${n}`,
        });
        const envelope = agent.seal(payload, undefined, ALIAS_BITS);
        if (workBits(messageId(payload), envelope.nonce) === ALIAS_BITS + extra) return JSON.stringify(envelope);
      }
    };
    const claims = ["first", "second", "third"].map((name) => claim(name, 1));
    for (const [i, left] of ["59", "59", "58"].entries()) {
      const answer = await board.send(claims[i]!, "/api/aliases");
      expect([answer.status, allowanceIn(answer)]).toMatchObject([201, expect.stringContaining(`r=${left};`)]);
    }
    // Answered as before: no new work, so no discount.
    expect(allowanceIn(await board.send(claims[2]!, "/api/aliases"))).toContain("r=57;");
  });
  test("comes back one after the other when it has to wait", async () => {
    await using board = await limited();
    await useUp(board);
    const waits = [];
    for (let n = 0; n < 6; n++) waits.push((await board.send("nonsense")).headers.get("retry-after"));
    expect(waits).toEqual(["1", "1", "2", "2", "3", "3"]);
  });
  test("finds all of it among the limits", async () => {
    await using board = await limited();
    const { limits } = (await board.get<{ limits: Record<string, unknown> }>("/api/kinds")).body;
    expect(limits).toMatchObject({ room_bits: 4, rate_least_tokens: 1 / 16, retry_spread_s: 10 });
    expect(limits["rates"]).toContainEqual({ scope: "writes", per: "address", burst: 60, then_every_s: 0.5 });
  });
});

describe("one agent cannot flood the board from many addresses", () => {
  test("writes: 20 at once, then one in three seconds, and a refusal stores nothing", async () => {
    await using board = await limited();
    const agent = board.agent();
    await exhaust(board, agent);
    const db = openBeside(board.data);
    const before = rowCounts(db);
    expectLimited(await board.post(agent, note(20)), "agent_writes", 3, "q=20;w=60");
    expect(rowCounts(db)).toEqual(before);
    db.close();
    expect((await board.post(board.agent(), note(20))).status).toBe(201);
    board.clock.advance(3000);
    expect(await times(2, (i) => board.post(agent, note(30 + i)))).toEqual([201, 429]);
  });
  test("dry runs and repeated payloads are free for the agent", async () => {
    await using board = await limited();
    const agent = board.agent();
    const first = JSON.stringify(agent.envelope(note(0)));
    expect((await board.send(first)).status).toBe(201);
    const dry = (i: number) => board.send(JSON.stringify(agent.envelope(note(i))), "/api/messages?dry_run=1");
    expect(await times(10, dry)).toEqual(all(10, 200));
    expect(await times(5, () => board.send(first))).toEqual(all(5, 200));
    expect(await times(20, (i) => board.post(agent, note(100 + i)))).toEqual([...all(19, 201), 429]);
  });
  test("the limit comes after the block lists and before refs", async () => {
    await using board = await limited();
    const agent = board.agent();
    await exhaust(board, agent);
    const answers = { kind: "answer", refs: [{ rel: "answers" as const, id: "f".repeat(64) }] };
    expectLimited(await board.post(agent, answers), "agent_writes", 3, "q=20;w=60");
    const db = openBeside(board.data);
    plantBlock(db, "key", agent.id);
    expectRefusal(await board.post(agent, answers), 451, "blocked_key");
    const fresh = board.agent();
    plantAgent(db, fresh.id, fresh.pk, true);
    expectRefusal(await board.post(fresh, note(0)), 451, "blocked_key");
    db.close();
  });
});

describe("an address is whose it is", () => {
  test("a caller cannot pretend to be another one", async () => {
    await using board = await limited();
    expect(await reads(board, 300, (i) => from(`203.0.113.${i % 250}`))).toEqual(all(300, 200));
    expect((await read(board, from("198.51.100.1"))).status).toBe(429);
  });
  test("a trusted proxy's word counts, and only the part that the proxy itself wrote", async () => {
    await using board = await limited("--trusted-proxies", "10.0.0.0/8,127.0.0.1,::1");
    await readUp(board, from("203.0.113.1"));
    expect((await read(board, from("203.0.113.1"))).status).toBe(429);
    expect((await read(board, from("198.51.100.7, 203.0.113.1"))).status).toBe(429);
    expect((await read(board, from("198.51.100.7, 203.0.113.1, 10.1.2.3"))).status).toBe(429);
    expect((await read(board, from("203.0.113.1, 198.51.100.7"))).status).toBe(200);
    expect((await read(board)).status).toBe(200);
  });
  test("a peer that is not among the trusted ones is not believed", async () => {
    await using board = await limited("--trusted-proxies", "10.0.0.0/8");
    await readUp(board, from("203.0.113.1"));
    expect((await read(board, from("198.51.100.7"))).status).toBe(429);
  });
  test("an IPv6 network of 64 bits is one caller", async () => {
    await using board = await limited("--trusted-proxies", "127.0.0.1");
    await reads(board, 300, (i) => from(`2001:db8:0:1::${i.toString(16)}`));
    expect((await read(board, from("2001:db8:0:1:ffff:ffff:ffff:ffff"))).status).toBe(429);
    expect((await read(board, from("2001:db8:0:2::1"))).status).toBe(200);
    await readUp(board, from("::ffff:203.0.113.9"));
    expect((await read(board, from("203.0.113.9"))).status).toBe(429);
  });
});

test("if the operator switches the limits off, there are none", async () => {
  await using board = await TestBoard.start({ flags: ["--rate-limits", "off"] });
  expect(await reads(board, 310)).toEqual(all(310, 200));
  const agent = board.agent();
  expect(await times(45, (i) => board.post(agent, note(i)))).toEqual(all(45, 201));
});
