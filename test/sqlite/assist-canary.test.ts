// Sends a secret that is easy to recognise to every endpoint of the assisted path, also in wrong ways, and then searches for it everywhere.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { expect, test } from "vitest";
import { Agent, TEST_BITS } from "../support/agent.ts";
import { openBeside } from "../support/database.ts";
import { BoardProcess, emptyDirectory } from "../support/process.ts";

const SEED = Buffer.from("canary-sings-32-bytes-of-secrets");
const SECRET = SEED.toString("base64url");
const { pk } = new Agent(Date.now, SEED);
const note = (title: string) => ({ kind: "note", title });

/** Every spelling of a secret, and halves of each, because quotations are shortened. */
function spellings(secret: string): readonly Buffer[] {
  const seed = Buffer.from(secret, "base64url");
  const hex = seed.toString("hex");
  const texts = [secret, hex, hex.toUpperCase(), seed.toString("base64"), secret.toLowerCase(), encodeURIComponent(secret)];
  const halves = texts.flatMap((text) => [text.slice(0, 16), text.slice(-16)]).map((text) => Buffer.from(text));
  return [...halves, seed.subarray(0, 12), seed.subarray(-12)];
}
const holds = (bytes: Uint8Array, secret: string): boolean => spellings(secret).some((one) => Buffer.from(bytes).includes(one));

function filesWith(directory: string, secret: string): readonly string[] {
  const names = readdirSync(directory, { recursive: true, encoding: "utf8" });
  return names.filter((name) => {
    const path = join(directory, name);
    return statSync(path).isFile() && holds(readFileSync(path), secret);
  });
}

/** One request as bytes, and the whole answer as bytes. */
async function exchange(url: string, line: string, body = "", headers: Record<string, string> = {}): Promise<Buffer> {
  const { hostname, port } = new URL(url);
  const all = { host: "localhost", "content-type": "application/json", "content-length": String(Buffer.byteLength(body)), ...headers };
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.write(`${line} HTTP/1.1\r\nconnection: close\r\n${head.join("")}\r\n${body}`);
  return buffer(socket);
}
const statusOf = (answer: Buffer): number => Number(answer.subarray(9, 12).toString());

const json = JSON.stringify;
const POST = "POST /api/assist/post";
const ALIAS = "POST /api/assist/alias";
const KEYGEN = "POST /api/assist/keygen";
const escaped = SECRET.replaceAll(/./g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** Status, request line, body, headers. */
const REQUESTS: readonly [number, string, string?, Record<string, string>?][] = [
  // Correct requests
  [201, POST, json({ secret_key: SECRET, message: note("good") })],
  [201, POST, json({ secret_key: SECRET, message: { ...note("with an alias to come"), tags: ["canary"], data: { a: [1] } } })],
  [201, POST, `{"secret_key":"${escaped}","message":{"kind":"note","title":"escaped"}}`],
  [201, ALIAS, json({ secret_key: SECRET, alias: "canary" })],
  [201, ALIAS, json({ secret_key: SECRET, alias: "canary" })],
  [201, ALIAS, json({ secret_key: SECRET, alias: "canary", op: "release" })],
  // Refused by the board
  [400, POST, json({ secret_key: SECRET, message: { kind: "shout" } })],
  [409, POST, json({ secret_key: SECRET, message: { kind: "answer", refs: [{ rel: "answers", id: "e".repeat(64) }] } })],
  [403, ALIAS, json({ secret_key: SECRET, alias: "postmaster" })],
  [403, ALIAS, json({ secret_key: SECRET, alias: "nobodys", op: "release" })],
  // The secret in the wrong place
  [400, POST, json({ secret_key: SECRET, message: note(SECRET) })],
  [400, POST, json({ secret_key: SECRET, message: { kind: SECRET } })],
  [400, POST, json({ secret_key: SECRET, message: { ...note("x"), [SECRET]: 1 } })],
  [400, POST, json({ secret_key: SECRET, message: { ...note("x"), data: { [`${"x".repeat(20)}${SECRET}`]: 1 } } })],
  [400, POST, json({ secret_key: SECRET, message: note("x"), blobs: { [SECRET]: "x" } })],
  [400, POST, json({ secret_key: SECRET, message: note("x"), blobs: { x: SECRET } })],
  [400, POST, json({ secret_key: SECRET, message: note("x"), [SECRET]: 1 })],
  [400, POST, json({ [SECRET]: SECRET, message: note("x") })],
  [400, POST, json({ secretKey: SECRET, message: note("x") })],
  [400, POST, json({ secret: SECRET, message: note("x") })],
  [400, POST, json({ secret_key: { seed: SECRET }, message: note("x") })],
  [400, POST, json({ secret_key: [SECRET], message: note("x") })],
  [400, POST, json({ secret_key: `${SECRET}=`, message: note("x") })],
  [400, POST, json({ secret_key: SEED.toString("hex"), message: note("x") })],
  [400, POST, json({ secret_key: ` ${SECRET}`, message: { kind: SECRET } })],
  [400, POST, json({ message: { ...note("x"), secret_key: SECRET } })],
  [400, POST, json({ secret_key: SECRET, message: SECRET })],
  [400, POST, json(SECRET)],
  [400, POST, json([SECRET])],
  [400, ALIAS, json({ secret_key: SECRET, alias: SECRET })],
  [400, ALIAS, json({ secret_key: SECRET, alias: `${"x".repeat(30)}${SECRET}` })],
  [400, ALIAS, json({ secret_key: "x", alias: SECRET })],
  [400, ALIAS, json({ alias: SECRET })],
  [400, ALIAS, json({ secret_key: SECRET, alias: "canary", op: SECRET })],
  // Not quite JSON
  [400, POST, `{"secret_key":"${SECRET}","message":{"kind":"note"`],
  [400, POST, `{"secret_key":"${SECRET}" "message":{}}`],
  [400, POST, `{secret_key:"${SECRET}"}`],
  [400, POST, SECRET],
  [400, POST, `{"secret_key":"${SECRET}","secret_key":"${SECRET}","message":{}}`],
  [400, POST, `{"secret_key":"${SECRET}","message":{"kind":"note","data":{"${SECRET}":1,"${SECRET}":2}}}`],
  [400, POST, `{"secret_key":"x","message":{"${escaped}":1,"${escaped}":2},"message":{}}`],
  [400, POST, `{"secret_key":"x","message":{"data":{"${SECRET}":"\\ud800"}}}`],
  [400, POST, `{"secret_key":"x","message":{"data":{"${SECRET}":{"__proto__":1}}}}`],
  [400, POST, `{"secret_key":"x","message":{"data":{"${SECRET}":1e999}}}`],
  [400, POST, `\ufeff{"secret_key":"${SECRET}","message":{}}`],
  [400, KEYGEN, json({ secret_key: SECRET })],
  [200, KEYGEN, "{}"],
  // Outside of the body
  [400, `${POST}?secret_key=${SECRET}`, json({ secret_key: SECRET, message: note("x") })],
  [400, `${POST}?${SECRET}`, "{}"],
  [400, `${ALIAS}?${SECRET}=1`, "{}"],
  [400, `${KEYGEN}?${SECRET}`],
  [404, `${POST}/${SECRET}`, "{}"],
  [404, `POST /api/assist/${SECRET}`, "{}"],
  [405, `GET /api/assist/post?secret_key=${SECRET}`],
  [405, `PUT /api/assist/alias?secret_key=${SECRET}`, json({ secret_key: SECRET, alias: "canary" })],
  [415, POST, `secret_key=${SECRET}`, { "content-type": "application/x-www-form-urlencoded" }],
  [415, POST, json({ secret_key: SECRET }), { "content-type": SECRET }],
  [415, POST, json({ secret_key: SECRET }), { "content-encoding": SECRET }],
  [400, POST, "{}", { authorization: `Bearer ${SECRET}`, "user-agent": SECRET, cookie: SECRET, "x-request-id": SECRET }],
  [403, POST, "{}", { origin: SECRET, "sec-fetch-site": SECRET }],
  // Unsafe connections
  [403, POST, json({ secret_key: SECRET, message: note("x") }), { host: "board.example" }],
  [403, ALIAS, json({ secret_key: SECRET, alias: "canary" }), { "x-forwarded-for": "203.0.113.1" }],
  [403, POST, json({ secret_key: SECRET, message: note("x") }), { host: SECRET }],
  // Not HTTP
  [413, POST, json({ secret_key: SECRET, message: { body: "x".repeat(1_100_000) } })],
  [400, POST, `zz\r\n${json({ secret_key: SECRET })}`, { "content-length": "", "transfer-encoding": "chunked" }],
  [400, `${POST} ${SECRET}`, json({ secret_key: SECRET })],
  [400, POST, json({ secret_key: SECRET }), { "content-length": SECRET }],
];

test("a caller's secret is in no answer, no log line and no file, whatever the request was", async () => {
  const data = emptyDirectory();
  await using board = await BoardProcess.serve(data, [
    "--log-level",
    "trace",
    "--pow-bits",
    String(TEST_BITS),
    "--rate-limits",
    "off",
    "--profile",
    "public",
    "--cors",
    "any",
  ]);
  const made: string[] = [];
  for (const [status, line, body, headers] of REQUESTS) {
    const answer = await exchange(board.url, line, body, headers);
    const what = `${line} ${body?.slice(0, 200)} ${answer.toString().slice(0, 600)}`;
    expect(statusOf(answer), what).toBe(status);
    expect(holds(answer, SECRET), what).toBe(false);
    if (line === KEYGEN && status === 200) made.push(/"secret_key":"([^"]+)"/.exec(answer.toString())?.[1] ?? "");
  }
  // A key made by the board is used as well; only the answer that delivers it may contain it.
  const [fresh = ""] = made;
  const posted = await exchange(board.url, POST, json({ secret_key: fresh, message: note("by a fresh key") }));
  expect([statusOf(posted), holds(posted, fresh)]).toEqual([201, false]);

  // Callers that disconnect in the middle.
  for (const body of [`{"secret_key":"${SECRET}",`, json({ secret_key: SECRET, message: note("left at once") })]) {
    const socket = connect(Number(new URL(board.url).port), "127.0.0.1");
    socket.on("error", () => {});
    const head = `${POST} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length + 9}\r\n\r\n`;
    await new Promise((sent) => socket.write(`${head}${body}`, sent));
    socket.destroy();
  }

  for (const path of [
    "/api/messages?include=body,data,raw&limit=200",
    "/api/changes?include=raw",
    "/api/dump.jsonl",
    "/api/aliases",
    "/metrics",
  ])
    for (const secret of [SECRET, fresh]) expect(holds(await exchange(board.url, `GET ${path}`), secret), path).toBe(false);

  // Faults of the board are logged, but without the request.
  const db = openBeside(data);
  for (const act of ["INSERT", "UPDATE"])
    db.exec(`CREATE TRIGGER planted_${act} BEFORE ${act} ON aliases BEGIN SELECT RAISE(ABORT, 'planted'); END`);
  const fault = await exchange(board.url, ALIAS, json({ secret_key: SECRET, alias: "canary" }));
  expect(statusOf(fault), fault.toString()).toBe(500);
  expect(holds(fault, SECRET)).toBe(false);
  db.close();

  // Public values are found where they belong, which shows that the search works.
  expect(filesWith(data, pk)).toContain("board.db-wal");
  for (const secret of [SECRET, fresh]) expect(filesWith(data, secret)).toEqual([]);
  const { code, stdout, stderr } = await board.kill("SIGTERM");
  expect(code).toBe(0);
  expect(filesWith(data, pk)).toContain("board.db");
  expect(stderr).toContain("planted");
  for (const secret of [SECRET, fresh]) {
    expect(filesWith(data, secret)).toEqual([]);
    expect(holds(Buffer.from(stdout + stderr), secret)).toBe(false);
  }
});
