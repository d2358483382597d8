// A board as its operator sees it: how it starts, what it prints, and how it ends.
import { writeFileSync } from "node:fs";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { get as httpsGet } from "node:https";
import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { SETTINGS } from "../../src/config.ts";
import type { Envelope } from "../../src/core/protocol/envelope.ts";
import { Agent, sha256, TEST_BITS } from "../support/agent.ts";
import { TestBoard } from "../support/board.ts";
import { selfSigned } from "../support/certificate.ts";
import { openBeside } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { BoardProcess, emptyDirectory } from "../support/process.ts";
import { ProcessClock } from "../support/process-clock.ts";
import { runHere } from "../support/program.ts";
import { expectRefusal } from "../support/refusal.ts";

const FLAGS = ["--pow-bits", String(TEST_BITS), "--rate-limits", "off"];
const NO_HTTP_LIMITS = { NODE_OPTIONS: `--import=${import.meta.resolve("../support/no-keep-alive-limit.ts")}` };
const note = (body: string) => ({ kind: "note", body });

async function post(url: string, envelope: Envelope): Promise<number> {
  const response = await fetch(`${url}/api/messages`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(envelope),
  });
  await response.arrayBuffer();
  return response.status;
}

async function rawOf(url: string, envelope: Envelope): Promise<unknown> {
  const response = await fetch(`${url}/api/messages/${sha256(envelope.payload)}?include=raw`);
  return ((await response.json()) as { raw?: unknown }).raw;
}

describe("starting", () => {
  test("prints its address in one line, logs to standard error, and exits with 0", async () => {
    await using board = await BoardProcess.serve(emptyDirectory(), [...FLAGS, "--log-level", "trace"]);
    expect(board.stdout).toMatch(/^blackboard ready at http:\/\/127\.0\.0\.1:\d+\n$/);
    // Text of agents and reporters is never in the log, at any level.
    const canary = "canary-7c1f";
    const { payload, ...rest } = new Agent().envelope(note(canary));
    for (const [path, body] of [
      ["/api/messages", { payload, ...rest }],
      ["/api/messages", { payload: canary, ...rest }],
      ["/api/reports", { target: sha256(payload), category: "other", explanation: `because of ${canary}`, contact: canary }],
      ["/mcp", { jsonrpc: "2.0", id: 1, method: canary }],
    ] as const)
      await fetch(board.url + path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
    await fetch(`${board.url}/api/messages?q=${canary}`);
    for (const path of ["/healthz", "/readyz"]) expect((await fetch(board.url + path)).status).toBe(200);
    const { code, stdout, stderr } = await board.kill("SIGTERM");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^[^\n]+\n$/);
    expect(stderr).not.toContain(canary);
    const lines = stderr.trim().split("\n");
    const said = lines.filter((line) => line.startsWith("{")).map((line) => (JSON.parse(line) as { msg: string }).msg);
    expect(said).toEqual(expect.arrayContaining(["listening", "closed"]));
  });
  test("takes its settings from variables and from .env, and flags without a command mean serve", async () => {
    const cwd = emptyDirectory();
    writeFileSync(join(cwd, ".env"), "BOARD_POW_BITS=7\nBOARD_DATA_DIR=from-file\n");
    await using board = BoardProcess.spawn({
      args: ["--smtp-port", "0", "--log-level", "silent"],
      env: { PORT: "0", BOARD_DATA_DIR: "from-variable" },
      cwd,
    });
    await board.ready();
    const pow = (await (await fetch(`${board.url}/api/pow`)).json()) as { required_bits: number };
    expect(pow.required_bits).toBe(7);
    expect(openBeside(join(cwd, "from-variable")).prepare("SELECT count(*) AS n FROM log").get()).toEqual({ n: 0 });
    expect((await board.kill("SIGINT")).code).toBe(0);
  });
  test("reports every fault of its configuration at once and exits with 2", async () => {
    const args = ["serve", "--port", "http", "--nonsense", "1"];
    const { code, stdout, stderr } = await runHere(args, { env: { BOARD_RATE_LIMITS: "maybe" } });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("The configuration has 3 faults:");
    for (const name of ["--port (PORT)", "--nonsense", "--rate-limits (BOARD_RATE_LIMITS)"]) expect(stderr).toContain(name);
    expect(stderr).not.toMatch(/\bat .+:\d+:\d+/);
  });
  test.each([[["--help"]], [["serve", "--port", "x", "-h"]]])("explains every setting: %j", async (args) => {
    const { code, stdout, stderr } = await runHere(args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    for (const { flag, variable, otherwise } of Object.values(SETTINGS)) {
      const line = stdout.split("\n").find((one) => one.includes(`--${flag} `));
      expect(line).toContain(variable);
      expect(line).toContain(otherwise);
    }
  });
  test("knows no other command", async () => {
    const { code, stdout, stderr } = await runHere(["dance"]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain('no command "dance"');
  });
  test("refuses a data directory or a port that is in use, and says so without a stack", async () => {
    const data = emptyDirectory();
    await using board = await BoardProcess.serve(data);
    const silent = ["serve", "--smtp-port", "0", "--log-level", "silent"];
    expect(await runHere([...silent, "--port", "0", "--data", data])).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("Another board is running") as string,
    });
    const { port } = new URL(board.url);
    const { code, stderr } = await runHere([...silent, "--port", port, "--data", emptyDirectory()]);
    expect(code).toBe(1);
    expect(stderr).toContain(port);
    expect(stderr).not.toMatch(/\bat .+:\d+:\d+/);
  });
  test("a start that fails lets its data directory go", async () => {
    await using taken = await TestBoard.start();
    const data = emptyDirectory();
    const { port } = new URL(taken.url);
    await expect(TestBoard.start({ data, flags: ["--host", "127.0.0.1"], port: Number(port) })).rejects.toThrow(port);
    await using board = await TestBoard.start({ data });
    expect((await board.get("/healthz")).status).toBe(200);
  });
  test("speaks TLS if a certificate is given", async () => {
    const directory = emptyDirectory();
    const { cert, key } = selfSigned("localhost");
    writeFileSync(join(directory, "cert.pem"), cert);
    writeFileSync(join(directory, "key.pem"), key);
    const flags = ["--tls-cert", join(directory, "cert.pem"), "--tls-key", join(directory, "key.pem")];
    await using board = await BoardProcess.serve(join(directory, "data"), flags);
    expect(board.url).toMatch(/^https:\/\//);
    const request = httpsGet(`${board.url}/healthz`, { ca: cert, agent: false });
    const [response] = (await once(request, "response")) as [IncomingMessage];
    expect(response.statusCode).toBe(200);
    expect(await text(response)).toBe('{"status":"ok"}');
    expect((await board.kill("SIGTERM")).code).toBe(0);
  });
});

describe("writing can be refused as a whole while reading works", () => {
  test("read_only: by the operator's wish", async () => {
    const data = emptyDirectory();
    const first = await TestBoard.start({ data });
    const { id } = await first.put(first.agent(), note("before"));
    await first.stop();
    await using board = await TestBoard.start({ data, flags: ["--read-only", "on"] });
    const answer = await board.post(board.agent(), note("refused"));
    expectRefusal(answer, 503, "read_only");
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await board.record(id)).content.body).toBe("before");
    await expectNotWritable(board, "read_only");
  });
  test("log_rollback: a database older than what the board has signed", async () => {
    const data = emptyDirectory();
    const first = await TestBoard.start({ data });
    const { id } = await first.put(first.agent(), note("kept"));
    await first.put(first.agent(), note("lost"));
    expect((await first.get("/api/checkpoint")).body).toMatchObject({ seq: 2 });
    await first.stop();
    const db = openBeside(data);
    db.exec("DELETE FROM log WHERE seq = 2");
    db.close();
    await using board = await TestBoard.start({ data });
    const answer = await board.post(board.agent(), note("refused"));
    expectRefusal(answer, 503, "log_rollback");
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
    expectRefusal(await board.get("/api/checkpoint"), 503, "log_rollback");
    expect((await board.record(id)).content.body).toBe("kept");
    await expectNotWritable(board, "log_rollback");
  });
  test("log_rollback: a database that was put back while the board runs, and has grown past what the board has signed", async () => {
    await using board = await TestBoard.start();
    await board.put(board.agent(), note("kept"));
    for (const path of ["/readyz", "/readyz/writing"])
      expect(await board.get(path)).toMatchObject({ status: 200, body: { status: "ok", writing: "ok" } });
    expect((await board.get<string>("/metrics")).body).toMatch(/^blackboard_writable 1$/m);
    expect((await board.get("/api/checkpoint")).body).toMatchObject({ seq: 1 });
    const db = openBeside(board.data);
    db.exec(`UPDATE log SET hash = '${"f".repeat(64)}' WHERE seq = 1`);
    db.close();
    await board.post(board.agent(), note("on another history"));
    expectRefusal(await board.get("/api/checkpoint"), 503, "log_rollback");
    expectRefusal(await board.post(board.agent(), note("refused")), 503, "log_rollback");
    await expectNotWritable(board, "log_rollback");
  });
});

/** Readers are still sent here, and monitoring learns that nothing can be posted. */
async function expectNotWritable(board: TestBoard, code: "read_only" | "log_rollback"): Promise<void> {
  const hint = expectRefusal(await board.get("/readyz/writing"), 503, code).hint;
  expect(await board.get("/readyz")).toMatchObject({ status: 200, body: { status: "not_writable", writing: code, hint } });
  expect((await board.get<string>("/metrics")).body).toMatch(/^blackboard_writable 0$/m);
}

describe.concurrent("ending", () => {
  // A board that does not end by itself is forced to after nine seconds. No time passes here, so it must end by itself.
  const clock = new ProcessClock();
  const serve = (data: string, flags = FLAGS, env = {}) => BoardProcess.serve(data, flags, env, [], clock);

  test("under load, everything accepted is answered, and a restart finds every answered message", async () => {
    const data = emptyDirectory();
    await using board = await serve(data, FLAGS, NO_HTTP_LIMITS);
    const agent = new Agent(clock.now);
    const acknowledged: Envelope[] = [];
    const statuses = new Set<number>();
    const enough = Promise.withResolvers<void>();
    let stopping = false;
    const poster = async (lane: number): Promise<void> => {
      for (let i = 0; ; i++) {
        const envelope = agent.envelope(note(`lane ${lane}, message ${i}`));
        try {
          statuses.add(await post(board.url, envelope));
          acknowledged.push(envelope);
          if (acknowledged.length >= 100) enough.resolve();
        } catch (error) {
          // Only a board that has stopped accepting may leave a request unanswered.
          if (stopping) return;
          throw error;
        }
      }
    };
    const lanes = [1, 2, 3, 4, 5, 6, 7, 8].map(poster);
    await Promise.race([enough.promise, Promise.all(lanes)]);
    // Begun before the signal and finished after it: it was accepted, so it is answered.
    const late = agent.envelope(note("accepted before the end"));
    const body = JSON.stringify(late);
    const socket = connect(Number(new URL(board.url).port), "127.0.0.1");
    const length = Buffer.byteLength(body);
    socket.write(
      `POST /api/messages HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n${body.slice(0, 10)}`,
    );
    await once(socket, "connect");
    await (await fetch(`${board.url}/healthz`)).arrayBuffer();
    stopping = true;
    const ended = board.kill("SIGTERM");
    await Promise.all(lanes);
    socket.write(body.slice(10));
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 201 [^]*connection: close/i);
    expect((await ended).code).toBe(0);
    expect([...statuses]).toEqual([201]);

    await using again = await TestBoard.start({ data, clock: new ManualClock(clock.now()) });
    for (const envelope of [...acknowledged, late]) expect(await rawOf(again.url, envelope)).toEqual(envelope);
    expect(await post(again.url, agent.envelope(note("after")))).toBe(201);
  });
  test("a request sent just before the signal is answered, though the board has not yet looked at its connection", async () => {
    const data = emptyDirectory();
    await using board = await serve(data);
    const agent = new Agent(clock.now);
    const sent = await Promise.all(
      Array.from({ length: 20 }, async (_, i) => {
        const envelope = agent.envelope(note(`just in time ${i}`));
        const body = JSON.stringify(envelope);
        const socket = connect(Number(new URL(board.url).port), "127.0.0.1");
        const head = `POST /api/messages HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}`;
        await new Promise<void>((resolve, reject) => {
          socket.write(`${head}\r\n\r\n${body}`, (error) => (error ? reject(error) : resolve()));
        });
        return { envelope, socket };
      }),
    );
    const ended = board.kill("SIGTERM");
    for (const { socket } of sent) expect(await text(socket)).toMatch(/^HTTP\/1\.1 201 /);
    expect((await ended).code).toBe(0);
    await using again = await TestBoard.start({ data, clock: new ManualClock(clock.now()) });
    for (const { envelope } of sent) expect(await rawOf(again.url, envelope)).toEqual(envelope);
  });
  test("a client that was refused before it had sent everything does not keep the board from ending", async () => {
    await using board = await serve(emptyDirectory(), FLAGS, NO_HTTP_LIMITS);
    const socket = connect(Number(new URL(board.url).port), "127.0.0.1");
    const body = "x".repeat(100_000);
    const [head, rest] = [body.slice(0, 10), body.slice(10)];
    socket.write(`POST /nothing HTTP/1.1\r\nhost: localhost\r\ncontent-type: text/plain\r\ncontent-length: ${body.length}\r\n\r\n${head}`);
    const [answer] = (await once(socket, "data")) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 404 [^]*connection: keep-alive/i);
    const ended = board.kill("SIGTERM");
    // The board takes no new connection when it has closed those that were idle.
    await eventually("its closing", () =>
      fetch(`${board.url}/healthz`).then(
        () => undefined,
        () => true,
      ),
    );
    socket.write(rest);
    await text(socket);
    expect((await ended).code).toBe(0);
  });
  test("a client that never finishes its request does not keep the board from ending", async () => {
    const passing = new ProcessClock();
    await using board = await BoardProcess.serve(emptyDirectory(), [], {}, [], passing);
    const socket = connect(Number(new URL(board.url).port), "127.0.0.1");
    socket.on("error", () => {});
    socket.write("POST /api/messages HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{");
    const idle = connect(Number(new URL(board.url).port), "127.0.0.1");
    await Promise.all([once(socket, "connect"), once(idle, "connect")]);
    await (await fetch(`${board.url}/healthz`)).arrayBuffer();
    let over = false;
    const ended = board.kill("SIGTERM").finally(() => (over = true));
    await eventually("its end", async () => {
      await passing.advance(9000);
      return over ? true : undefined;
    });
    expect((await ended).code).toBe(0);
    socket.destroy();
    idle.destroy();
  });
  test("also when it is stopped before it has said that it is ready", async () => {
    await using board = BoardProcess.spawn({ args: ["serve", "--port", "0", "--smtp-port", "0", "--data", emptyDirectory()] });
    // It logs something before it prints the ready line.
    await eventually("a word", () => (board.stderr === "" && board.stdout === "" ? undefined : true));
    const { code, signal } = await board.kill("SIGTERM");
    expect({ code, signal }).toEqual({ code: 0, signal: null });
  });
});
