// When the assisted path accepts secrets, and when it refuses before it has read one.
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { type IncomingMessage, request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { connect } from "node:net";
import { join } from "node:path";
import { json, text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Answer, TestBoard } from "../support/board.ts";
import { selfSigned } from "../support/certificate.ts";
import { emptyDirectory } from "../support/process.ts";
import { expectRefusal } from "../support/refusal.ts";

const SECRET = Buffer.alloc(32, 3).toString("base64url");
const BODIES = {
  keygen: "",
  post: JSON.stringify({ secret_key: SECRET, message: { kind: "note", title: "over the wire" } }),
  alias: JSON.stringify({ secret_key: SECRET, alias: "wire" }),
  ack: JSON.stringify({ secret_key: SECRET, seen: 1 }),
} as const;
type Path = keyof typeof BODIES;
const PATHS = Object.keys(BODIES) as Path[];
const GOOD = { keygen: 200, post: 201, alias: 201, ack: 201 } as const;

/** With any Host header, which `fetch` does not allow. */
async function ask(board: TestBoard, path: Path, headers: Record<string, string | string[]>, ca?: string): Promise<Answer<unknown>> {
  const options = { method: "POST", headers: { "content-type": "application/json", ...headers }, agent: false } as const;
  const url = `${board.url}/api/assist/${path}`;
  const request = ca === undefined ? httpRequest(url, options) : httpsRequest(url, { ...options, ca });
  request.end(BODIES[path]);
  const [response] = (await once(request, "response")) as [IncomingMessage];
  return { status: response.statusCode ?? 0, headers: new Headers(response.headers as Record<string, string>), body: await json(response) };
}

function expectPrivate({ headers }: Answer<unknown>): void {
  expect(headers.get("cache-control")).toBe("no-store");
  expect([...headers.keys()].filter((name) => name.startsWith("access-control-"))).toEqual([]);
}

let plain: TestBoard;
let proxied: TestBoard;
beforeAll(async () => {
  plain = await TestBoard.start();
  proxied = await TestBoard.start({ flags: ["--trusted-proxies", "127.0.0.1"] });
});
afterAll(async () => {
  await plain[Symbol.asyncDispose]();
  await proxied[Symbol.asyncDispose]();
});

describe.each(PATHS)("%s", (path) => {
  test.each([
    ["a public name over plain HTTP", { host: "board.example" }],
    ["a name that only looks local", { host: "localhost.board.example" }],
    ["a caller who claims to be a proxy", { host: "localhost", "x-forwarded-proto": "https" }],
    ["a caller behind an unnamed proxy", { host: "localhost", "x-forwarded-for": "203.0.113.1" }],
    ["a caller behind a proxy that says so in the standard's words", { host: "localhost", forwarded: "for=203.0.113.1;proto=https" }],
    ["a caller behind a cache", { host: "127.0.0.1", via: "1.1 cache" }],
  ])("refuses %s", async (_what, headers) => {
    const answer = await ask(plain, path, headers);
    expectRefusal(answer, 403, "https_required");
    expectPrivate(answer);
  });

  test.each<[string, Record<string, string | string[]>]>([
    ["http", { "x-forwarded-proto": "http" }],
    ["HTTPS in capitals", { "x-forwarded-proto": "HTTPS" }],
    ["a list", { "x-forwarded-proto": "https, http" }],
    ["https twice", { "x-forwarded-proto": ["https", "https"] }],
    ["nothing about the protocol", {}],
    ["wss", { "x-forwarded-proto": "wss" }],
  ])("refuses where the trusted proxy says %s", async (_what, headers) => {
    const answer = await ask(proxied, path, { host: "board.example", ...headers });
    expectRefusal(answer, 403, "https_required");
    expectPrivate(answer);
  });

  test("takes what a trusted proxy received over HTTPS", async () => {
    const headers = { host: "board.example", "x-forwarded-proto": "https", "x-forwarded-for": "203.0.113.1" };
    const answer = await ask(proxied, path, headers);
    expect(answer.status, JSON.stringify(answer.body)).toBe(GOOD[path]);
    expectPrivate(answer);
  });

  test.each(["https://board.example", "http://board.example"])(
    "refuses requests through a proxy that adds no header, if the board is at %s",
    async (baseUrl) => {
      await using published = await TestBoard.start({ flags: ["--base-url", baseUrl] });
      const answer = await ask(published, path, { host: new URL(published.url).host });
      expectRefusal(answer, 403, "https_required");
      expectPrivate(answer);
    },
  );

  test("takes what never left the machine", async () => {
    const answer = await ask(plain, path, { host: "localhost:8787" });
    expect(answer.status, JSON.stringify(answer.body)).toBe(GOOD[path]);
    expectPrivate(answer);
  });

  test("takes what the board's own page sends", async () => {
    const own = { origin: plain.url, "sec-fetch-site": "same-origin" };
    expect([200, 201]).toContain((await plain.send(BODIES[path], `/api/assist/${path}`, own)).status);
  });

  test("refuses before a byte of the body has come, whether its length is known, unknown or far too great", async () => {
    for (const body of ["content-length: 300", "transfer-encoding: chunked", "content-length: 99999999"]) {
      const socket = connect(Number(new URL(plain.url).port), "127.0.0.1");
      // Sends the head alone, so the answer cannot have waited for anything else.
      socket.write(
        `POST /api/assist/${path} HTTP/1.1\r\nhost: board.example\r\ncontent-type: application/json\r\n${body}\r\nexpect: 100-continue\r\n\r\n`,
      );
      const [first] = (await once(socket, "data")) as [Buffer];
      expect(first.toString()).toMatch(/^HTTP\/1\.1 403 [^]*"https_required"/);
      socket.destroy();
    }
  });

  test("gives pages of other sites no leave, neither before nor after", async () => {
    const origin = { origin: "https://elsewhere.example" };
    for (const url of [`/api/assist/${path}`, `/api/%61ssist/${path}`]) {
      const asked = await plain.get(url, {
        method: "OPTIONS",
        headers: { ...origin, "access-control-request-method": "POST", "access-control-request-headers": "content-type" },
      });
      expect(asked.status).toBe(204);
      expectPrivate(asked);
      for (const from of [origin, { origin: "null" }, { "sec-fetch-site": "cross-site" }, { "sec-fetch-site": "same-site" }]) {
        const answer = await plain.send(BODIES[path], url, from);
        expectRefusal(answer, 403, "origin_forbidden");
        expectPrivate(answer);
      }
    }
  });

  test("reads nothing from the URL, which would end up in logs", async () => {
    const answer = await plain.send(BODIES[path], `/api/assist/${path}?secret_key=${SECRET}`);
    expectRefusal(answer, 400, "unknown_parameter");
    expectPrivate(answer);
  });
});

describe("a board with a certificate", () => {
  const directory = emptyDirectory();
  const { cert, key } = selfSigned("board.example");
  let secure: TestBoard;
  beforeAll(async () => {
    writeFileSync(join(directory, "cert.pem"), cert);
    writeFileSync(join(directory, "key.pem"), key);
    secure = await TestBoard.start({ flags: ["--tls-cert", join(directory, "cert.pem"), "--tls-key", join(directory, "key.pem")] });
  });
  afterAll(() => secure[Symbol.asyncDispose]());

  test.each(PATHS)("takes %s under any name", async (path) => {
    for (const headers of [{ host: "board.example" }, { host: "board.example", "x-forwarded-proto": "http", via: "1.1 x" }]) {
      const answer = await ask(secure, path, headers, cert);
      expect([200, 201], JSON.stringify(answer.body)).toContain(answer.status);
      expectPrivate(answer);
    }
  });
});

test("a caller that sends Expect: 100-continue is told to continue, once the body is wanted", async () => {
  const socket = connect(Number(new URL(plain.url).port), "127.0.0.1");
  const length = Buffer.byteLength(BODIES.post);
  socket.write(
    `POST /api/assist/post HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\nexpect: 100-continue\r\n\r\n`,
  );
  const [first] = (await once(socket, "data")) as [Buffer];
  expect(first.toString()).toBe("HTTP/1.1 100 Continue\r\n\r\n");
  socket.write(BODIES.post);
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 20[01] /);
});
