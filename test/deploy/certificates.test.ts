// A board with its own certificate: what its operator learns about a bad one, and how a renewed one is used while callers stay connected.
import { execFileSync } from "node:child_process";
import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { connect as connectPlain } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { connect, type TLSSocket } from "node:tls";
import { expect, test } from "vitest";
import { DAY_MS } from "../../src/core/durations.ts";
import { Agent, TEST_BITS } from "../support/agent.ts";
import { TestBoard } from "../support/board.ts";
import { selfSigned } from "../support/certificate.ts";
import { eventually } from "../support/eventually.ts";
import { BoardProcess, emptyDirectory } from "../support/process.ts";
import { SmtpClient, withFreePort } from "../support/smtp.ts";

const FLAGS = ["--pow-bits", String(TEST_BITS), "--rate-limits", "off"];

class Files {
  readonly #directory = emptyDirectory();
  readonly cert = join(this.#directory, "cert.pem");
  readonly key = join(this.#directory, "key.pem");
  readonly flags = ["--tls-cert", this.cert, "--tls-key", this.key];
  constructor(pair: { readonly cert: string; readonly key: string }) {
    this.write(pair);
  }
  write({ cert, key }: { readonly cert: string; readonly key: string }): void {
    writeFileSync(this.cert, cert);
    writeFileSync(this.key, key);
  }
}

/** The name in the certificate that a new connection is shown. */
async function shownAt(port: number, socket?: TLSSocket): Promise<string> {
  const secure = socket ?? connect({ port, host: "127.0.0.1", rejectUnauthorized: false });
  await once(secure, "secureConnect");
  const { CN } = secure.getPeerCertificate().subject;
  secure.destroy();
  return String(CN);
}

async function shownInMail(port: number): Promise<string> {
  const socket = connectPlain(port, "127.0.0.1");
  for (const line of ["EHLO client.example", "STARTTLS", undefined]) {
    await once(socket, "data");
    if (line !== undefined) socket.write(`${line}\r\n`);
  }
  return shownAt(port, connect({ socket, rejectUnauthorized: false }));
}

interface Line {
  readonly msg: string;
  readonly subject?: string;
}
const linesOf = ({ stderr }: Pick<BoardProcess, "stderr">): readonly Line[] =>
  stderr
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Line);
const said = (board: BoardProcess, words: string) => eventually(words, () => linesOf(board).find(({ msg }) => msg.includes(words)));

test("SIGHUP brings a renewed certificate into use for HTTPS and mail, and ends no stream and no connection", async () => {
  const validTo = Date.now() + 60 * DAY_MS;
  const files = new Files(selfSigned("old.example"));
  let smtpPort = 0;
  await using board = await withFreePort((free) =>
    BoardProcess.serve(emptyDirectory(), [...FLAGS, ...files.flags, "--smtp-port", String((smtpPort = free))]),
  );
  const port = Number(new URL(board.url).port);
  expect([await shownAt(port), await shownInMail(smtpPort)]).toEqual(["old.example", "old.example"]);

  const opening = request(`${board.url}/api/stream`, { rejectUnauthorized: false, agent: false }).end();
  const [stream] = (await once(opening, "response")) as [IncomingMessage];
  let streamed = "";
  let over = false;
  stream.setEncoding("utf8").on("data", (piece: string) => (streamed += piece));
  stream.on("close", () => (over = true));
  await eventually("the stream to be live", () => (streamed.includes("event: live") ? true : undefined));
  await using mail = await SmtpClient.connect(smtpPort, "client.example");

  files.write(selfSigned("new.example", { validTo }));
  process.kill(board.pid ?? 0, "SIGHUP");
  const line = await said(board, "certificate of CN=new.example reloaded");
  expect(line).toMatchObject({
    subject: "CN=new.example",
    valid_to: expect.stringContaining(new Date(validTo).toISOString().slice(0, 19)) as string,
  });
  expect([await shownAt(port), await shownInMail(smtpPort)]).toEqual(["new.example", "new.example"]);

  // A certificate that does not match changes nothing.
  files.write({ cert: selfSigned("other.example").cert, key: selfSigned("another.example").key });
  process.kill(board.pid ?? 0, "SIGHUP");
  const refused = await said(board, "the certificate was not reloaded");
  expect(refused.msg).toContain("--tls-cert and --tls-key do not fit: the certificate of CN=other.example");
  expect([await shownAt(port), await shownInMail(smtpPort)]).toEqual(["new.example", "new.example"]);

  // A caller that was connected before both is still connected, and receives what is posted now.
  const post = request(`${board.url}/api/messages`, {
    method: "POST",
    rejectUnauthorized: false,
    agent: false,
    headers: { "content-type": "application/json" },
  }).end(JSON.stringify(new Agent().envelope({ kind: "note", body: "after the renewal" })));
  const [posted] = (await once(post, "response")) as [IncomingMessage];
  expect(posted.statusCode).toBe(201);
  posted.resume();
  await eventually("the message on the stream", () => (streamed.includes("after the renewal") ? true : undefined));
  expect(over).toBe(false);
  expect(await mail.say("NOOP")).toMatch(/^250 /);
  stream.destroy();
  expect((await board.kill("SIGTERM")).code).toBe(0);
});

test("SIGHUP with a pipe instead of the key file blocks no answers: the board reports it, and continues with its certificate", async () => {
  const files = new Files(selfSigned("old.example"));
  await using board = await BoardProcess.serve(emptyDirectory(), [...FLAGS, ...files.flags]);
  rmSync(files.key);
  execFileSync("mkfifo", [files.key]);
  process.kill(board.pid ?? 0, "SIGHUP");
  const { msg } = await said(board, "the certificate was not reloaded");
  expect(msg).toContain(`--tls-key is ${JSON.stringify(files.key)}: it is a pipe, a socket or a device; give the path of a PEM file.`);
  expect(await shownAt(Number(new URL(board.url).port))).toBe("old.example");
  expect((await board.kill("SIGTERM")).code).toBe(0);
});

test("SIGHUP to a board without a certificate says so in one line and changes nothing", async () => {
  await using board = await BoardProcess.serve(emptyDirectory(), FLAGS);
  const before = linesOf(board).length;
  process.kill(board.pid ?? 0, "SIGHUP");
  await said(board, "nothing to reload");
  expect(linesOf(board)).toHaveLength(before + 1);
  expect((await fetch(`${board.url}/healthz`)).status).toBe(200);
  expect((await board.kill("SIGTERM")).code).toBe(0);
});

test("a certificate that has expired or is not valid yet is reported in the log, and the board runs with it", async () => {
  const now = Date.now();
  for (const [pair, words] of [
    [{ validFrom: now - 9 * DAY_MS, validTo: now - DAY_MS }, "the certificate of CN=late.example expired at "],
    [{ validFrom: now + DAY_MS, validTo: now + 9 * DAY_MS }, "the certificate of CN=late.example is not valid before "],
  ] as const) {
    const files = new Files(selfSigned("late.example", pair));
    const log: string[] = [];
    await using board = await TestBoard.start({ flags: files.flags, log });
    expect(linesOf({ stderr: log.join("") }).some(({ msg }) => msg.includes(words))).toBe(true);
    expect(await shownAt(Number(new URL(board.url).port))).toBe("late.example");
  }
});

test("a key that the board's user may not read is reported as such, with the file and what to do", async () => {
  const files = new Files(selfSigned("localhost"));
  chmodSync(files.key, 0o000);
  // Root may read everything, unless that right is removed.
  const under = process.getuid?.() === 0 ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] : [];
  await using board = BoardProcess.spawn({ args: ["serve", "--port", "0", "--data", emptyDirectory(), ...files.flags], under });
  const { code, stderr } = await board.ended;
  expect(code).toBe(2);
  expect(stderr).toContain(`--tls-key (BOARD_TLS_KEY) is ${JSON.stringify(files.key)}: permission denied. This user (`);
  expect(stderr).toContain(`may not read ${files.key}, which belongs to `);
  expect(stderr).toContain("Let the user that the board runs as read it");
  expect(stderr).not.toContain("do not fit");
});

test("plain HTTP to the port that speaks HTTPS is answered in plain HTTP, with the address to use", async () => {
  const { flags } = new Files(selfSigned("board.example"));
  await using board = await TestBoard.start({ flags: [...flags, "--base-url", "https://board.example"] });
  const socket = connectPlain(Number(new URL(board.url).port), "127.0.0.1");
  socket.write("GET / HTTP/1.1\r\nhost: board.example\r\n\r\n");
  const answer = await text(socket);
  expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  expect(answer).toContain("This port speaks HTTPS");
  expect(answer).toContain("Use https://board.example instead of http://");
  expect(answer).not.toMatch(/strict-transport-security/i);
});

test.for([
  ["https://board.example", "max-age=31536000"],
  ["http://board.example", null],
  ["https://localhost:8787", null],
  ["https://127.0.0.1", null],
] as const)("browsers are told to stay with HTTPS where the board is at %s: %s", async ([baseUrl, expected]) => {
  await using board = await TestBoard.start({ flags: ["--base-url", baseUrl, "--profile", "public", "--cors", "any"] });
  for (const path of ["/", "/api/messages", "/api/messages", "/api/messages/none", "/healthz", "/client.py"])
    expect((await board.get(path)).headers.get("strict-transport-security"), path).toBe(expected);
});
