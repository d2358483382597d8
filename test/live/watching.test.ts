// What an operator sees of a running board: its log, its metrics, and the command for reports.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { ERRORS } from "../../src/core/errors.ts";
import { FAULT_PLACES } from "../../src/ports/telemetry.ts";
import { TEST_BITS } from "../support/agent.ts";
import { TestBoard } from "../support/board.ts";
import { eventually } from "../support/eventually.ts";
import { Operator, reasons } from "../support/operator.ts";
import { emptyDirectory } from "../support/process.ts";
import { head, rawRequest } from "../support/raw-request.ts";
import { expectRefusal } from "../support/refusal.ts";
import { SmtpClient } from "../support/smtp.ts";

type Line = Readonly<Record<string, unknown>> & { readonly level: string; readonly time: string; readonly msg: string };
const linesOf = (log: readonly string[]): Line[] => log.map((line) => JSON.parse(line) as Line);
const lineOf = (log: readonly string[], wanted: Partial<Line>): Promise<Line> =>
  eventually(JSON.stringify(wanted), () =>
    linesOf(log).find((line) => Object.entries(wanted).every(([name, value]) => line[name] === value)),
  );
const figureOf = (text: string, name: string): number =>
  Number(
    text
      .split("\n")
      .find((line) => line.startsWith(`${name} `))
      ?.slice(name.length + 1),
  );

describe("the log", () => {
  test("has levels by name, times that people can read, and plain text for a terminal", async () => {
    const log: string[] = [];
    const text: string[] = [];
    await using board = await TestBoard.start({ log });
    const line = await lineOf(log, { msg: "listening" });
    expect(line).toMatchObject({ level: "info", address: board.url });
    expect(new Date(line.time).toISOString()).toBe(line.time);
    await using _readable = await TestBoard.start({ log: text, flags: ["--log-format", "text"] });
    expect(text.at(-1)).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d INFO {2}listening {2}address=http:\/\/127\.0\.0\.1:\d+ .*\n$/);
  });

  test("has a line for each act of the operator, with what it was about", async () => {
    const log: string[] = [];
    await using board = await TestBoard.start({ log });
    const agent = board.agent();
    const { id } = await board.put(agent, { kind: "note", body: "to be removed" });
    await using operator = await Operator.at(board);
    await operator.remove(id);
    expect(await lineOf(log, { msg: "the operator made a decision", target: id })).toMatchObject({
      visibility: "content_removed",
      category: "spam",
      seq: 2,
    });
    await operator.decide({ do: "restore", target: id });
    await lineOf(log, { msg: "the operator reversed a decision", target: id });
    await operator.decide({ do: "block_key", agent: agent.id, reasons: reasons() });
    await lineOf(log, { msg: "the operator made a decision", target: agent.id, visibility: "key_blocked" });
    await operator.session.order({ do: "switch", switches: { readOnly: true } });
    board.clock.advance(1000);
    await lineOf(log, { msg: "the operator set a switch", read_only: true });
    await operator.session.order({ do: "switch", switches: { powBits: 20 } });
    board.clock.advance(1000);
    await lineOf(log, { msg: "the operator set a switch", pow_bits: 20 });
    expect(log.join("")).not.toContain("to be removed");
    expect(linesOf(log).filter(({ level }) => level !== "info")).toEqual([]);
  });

  test("of requests, if it is switched on: each once, without addresses and parameters", async () => {
    const log: string[] = [];
    await using board = await TestBoard.start({ log, flags: ["--access-log", "on"] });
    await board.get("/api/messages?q=private");
    await board.get("/api/messages?q=private");
    await board.send("", "/nothing");
    const hangUp = new AbortController();
    await fetch(`${board.url}/api/stream`, { signal: hangUp.signal });
    hangUp.abort();
    await lineOf(log, { msg: "request", path: "/api/stream", status: 200 });
    const requests = linesOf(log).filter(({ msg }) => msg === "request");
    expect(requests.map(({ method, path, status, caller }) => [method, path, status, caller])).toEqual([
      ["GET", "/api/messages", 200, "127.0.0.0"],
      ["GET", "/api/messages", 200, "127.0.0.0"],
      ["POST", "/nothing", 404, "127.0.0.0"],
      ["GET", "/api/stream", 200, "127.0.0.0"],
    ]);
    expect(log.join("")).not.toContain("private");
  });

  test("has those too that hung up before an answer, that came many at once, and that are no requests: none is taken for one that was answered", async () => {
    const log: string[] = [];
    await using board = await TestBoard.start({ log, flags: ["--access-log", "on"] });
    const hangUp = new AbortController();
    const waiting = fetch(`${board.url}/api/messages?wait=20&after_seq=0`, { signal: hangUp.signal });
    await eventually("a long poll", async () =>
      figureOf((await board.get<string>("/metrics")).body, "blackboard_stream_readers") === 1 ? true : undefined,
    );
    hangUp.abort();
    await expect(waiting).rejects.toThrow();
    await lineOf(log, { msg: "request", path: "/api/messages", status: 499 });

    const warned: string[] = [];
    const hear = ({ name }: Error) => void warned.push(name);
    process.on("warning", hear);
    const polls = Array.from(
      { length: 30 },
      (_, i) => `GET /api/messages?wait=20&after_seq=0&limit=${i + 1} HTTP/1.1\r\nhost: localhost\r\n\r\n`,
    ).join("");
    const socket = connect(Number(new URL(board.url).port), "127.0.0.1").on("error", () => {});
    socket.write(polls);
    await eventually("the polls", async () =>
      figureOf((await board.get<string>("/metrics")).body, "blackboard_stream_readers") > 1 ? true : undefined,
    );
    socket.destroy();
    const hungUp = () => linesOf(log).filter(({ path, status }) => path === "/api/messages" && status === 499);
    await eventually("a line for each", () => (hungUp().length > 10 ? true : undefined));
    await board.get("/api/time");
    process.off("warning", hear);
    expect(warned).toEqual([]);

    await rawRequest(board.url, "this is no request\r\n\r\n");
    expect(await lineOf(log, { msg: "request", path: "-" })).toMatchObject({ method: "-", status: 400, caller: "127.0.0.0" });
    await rawRequest(
      board.url,
      `${head("POST /api/messages", { "content-type": "application/json", "transfer-encoding": "chunked" })}no length\r\n`,
    );
    expect(await lineOf(log, { msg: "request", method: "POST" })).toMatchObject({ path: "/api/messages", status: 400 });
    expect(linesOf(log).filter(({ path }) => path === "-")).toHaveLength(1);
  });

  test("of requests in full, with the caller that a proxy names; and of none if it is switched off", async () => {
    const log: string[] = [];
    const quiet: string[] = [];
    await using board = await TestBoard.start({ log, flags: ["--access-log", "full", "--trusted-proxies", "127.0.0.1"] });
    await board.get("/api/messages?limit=1", { headers: { "x-forwarded-for": "203.0.113.77" } });
    expect(await lineOf(log, { msg: "request" })).toMatchObject({ path: "/api/messages", query: "limit=1", caller: "203.0.113.77" });
    await using other = await TestBoard.start({ log: quiet });
    await other.get("/api/messages");
    expect(linesOf(quiet).map(({ msg }) => msg)).toEqual([expect.stringContaining("board"), "listening"]);
  });

  test("has each refused mail at the debug level", async () => {
    const log: string[] = [];
    await using board = await TestBoard.start({ log, smtpPort: 0 });
    await using client = await SmtpClient.connect(board.smtpPort);
    await client.say("EHLO sender.example");
    await client.say("MAIL FROM:<someone@sender.example>");
    await client.say("RCPT TO:<nobody-there@localhost>");
    const line = await lineOf(log, { level: "debug", reply: 550 });
    expect(line.msg).toMatch(/^mail: 5\.1\.1 /);
    expect((await board.get<string>("/metrics")).body).toContain('blackboard_mails_total{outcome="refused"} 1');
  });
});

describe.concurrent("/metrics", () => {
  test("has every series that counts from the start on, so that the first fault is seen as one", async () => {
    await using board = await TestBoard.start();
    const { body } = await board.get<string>("/metrics");
    for (const place of FAULT_PLACES) expect(figureOf(body, `blackboard_faults_total{place="${place}"}`)).toBe(0);
    for (const code of Object.keys(ERRORS)) expect(figureOf(body, `blackboard_refusals_total{code="${code}"}`)).toBe(0);
    for (const outcome of ["accepted", "deferred", "refused"])
      expect(figureOf(body, `blackboard_mails_total{outcome="${outcome}"}`)).toBe(0);
  });

  test("counts the connections of mail that were accepted, not those that were refused", async () => {
    await using board = await TestBoard.start({ smtpPort: 0 });
    const clients = await Promise.all(Array.from({ length: 8 }, () => SmtpClient.connect(board.smtpPort)));
    expect(clients.map(({ greeting }) => greeting.slice(0, 3)).sort()).toEqual(["220", "220", "220", "220", "220", "421", "421", "421"]);
    const { body } = await board.get<string>("/metrics");
    expect(figureOf(body, "blackboard_smtp_connections")).toBe(5);
    expect(figureOf(body, 'blackboard_mails_total{outcome="deferred"}')).toBe(0);
    await Promise.all(clients.map((one) => one[Symbol.asyncDispose]()));
  });

  test("shows what is required, stored, reported and refused", async () => {
    await using board = await TestBoard.start();
    const { id } = await board.put(board.agent(), { kind: "note", body: "reported" });
    await board.send("no json");
    await board.get("/api/messages?nothing=1");
    await board.send(JSON.stringify({ target: id, category: "spam", explanation: "An advertisement." }), "/api/reports");
    const { body } = await board.get<string>("/metrics");
    expect(figureOf(body, "blackboard_required_bits")).toBe(TEST_BITS);
    expect(figureOf(body, "blackboard_reports_open")).toBe(1);
    expect(figureOf(body, "blackboard_writable")).toBe(1);
    expect(figureOf(body, "blackboard_database_bytes")).toBeGreaterThan(10_000);
    expect(figureOf(body, "blackboard_disk_free_bytes")).toBeGreaterThan(0);
    expect(figureOf(body, 'blackboard_refusals_total{code="invalid_json"}')).toBe(1);
    expect(figureOf(body, 'blackboard_refusals_total{code="unknown_parameter"}')).toBe(1);
    expect(body).toMatch(/^blackboard_info\{version="\d+\.\d+\.\d+",store="(?:sqlite|postgresql)",profile="public"\} 1$/m);
  });

  test("requires the token, if there is one", async () => {
    const token = "0123456789abcdef0123456789abcdef";
    await using board = await TestBoard.start({ flags: ["--metrics-token", token] });
    for (const authorization of [undefined, `Bearer ${token}0`, `Basic ${token}`, token])
      expect(
        expectRefusal(await board.get("/metrics", { headers: authorization === undefined ? {} : { authorization } }), 404, "not_found")
          .hint,
      ).toContain("Authorization: Bearer");
    const { status, body } = await board.get<string>("/metrics", { headers: { authorization: `Bearer ${token}` } });
    expect(status).toBe(200);
    expect(body).toContain("blackboard_writable 1");
    expect(body).not.toContain(token);
  });
});

describe.concurrent("a new report", () => {
  const report = async (url: string, target: string, category = "spam") =>
    (
      await fetch(`${url}/api/reports`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ target, category, explanation: "$(touch pwned) `touch pwned`" }),
      })
    ).status;

  test("runs the operator's command with what it is about, and nothing that the reporter wrote", async () => {
    const data = emptyDirectory();
    const notes = join(data, "told");
    const log: string[] = [];
    await using board = await TestBoard.start({
      log,
      data,
      flags: ["--on-report", `echo "$REPORT_ID $REPORT_CATEGORY $REPORT_TARGET $REPORT_BOARD" >> ${notes}`],
    });
    const { id } = await board.put(board.agent(), { kind: "note", body: "reported" });
    for (const category of ["spam", "fraud"]) expect(await report(board.url, id, category)).toBe(201);
    const text = await eventually("the command", () => {
      const said = existsSync(notes) ? readFileSync(notes, "utf8") : "";
      return said.split("\n").length > 2 ? said : undefined;
    });
    expect(text).toMatch(new RegExp(`^rp_[0-9a-f]{16} spam ${id} http://\\S+\nrp_[0-9a-f]{16} fraud ${id} http://\\S+\n$`));
    expect(await lineOf(log, { msg: "new report", category: "fraud" })).toMatchObject({ target: id });
    expect(log.join("")).not.toContain("pwned");
  });

  test("whose command fails is still stored, and the log says that the command failed", async () => {
    const log: string[] = [];
    await using board = await TestBoard.start({ log, flags: ["--on-report", "exit 3"] });
    const { id } = await board.put(board.agent(), { kind: "note", body: "reported" });
    expect(await report(board.url, id)).toBe(201);
    const { err } = await lineOf(log, { msg: "fault", place: "command" });
    expect(err).toMatchObject({ message: "The command ended with 3: exit 3" });
  });
});
