// Credentials never become public by mistake, whichever way a message is posted.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Agent, sha256, type Fields } from "../support/agent.ts";
import type { TestBoard } from "../support/board.ts";
import { Random, SEED } from "../support/random.ts";
import { expectRefusal } from "../support/refusal.ts";
import { claim, inbox, MAIL_DOMAIN, mailBoard, SmtpClient } from "../support/smtp.ts";

const random = new Random(SEED);
const drawn = (bytes: number): Buffer => Buffer.from(random.bytes(bytes));
const secret = drawn(18).toString("hex");
const TOKEN = `ghp_${secret}`;
const PEM = `-----BEGIN PRIVATE KEY-----\n${drawn(48).toString("base64")}\n-----END PRIVATE KEY-----\n`;

let board: TestBoard;
let port: number;
let agent: Agent;
beforeAll(async () => {
  ({ board, port } = await mailBoard({ flags: ["--assist", "on"] }));
  agent = board.agent();
  await claim(board, agent, "alice");
});
afterAll(() => board[Symbol.asyncDispose]());

const CASES: readonly (readonly [what: string, fields: Fields, where: object])[] = [
  ["a title", { kind: "note", title: `token ${TOKEN}` }, { kind: "github_token", field: "title", offset: 6 }],
  ["a body", { kind: "note", body: `Grüße 🙂 ${TOKEN}` }, { kind: "github_token", field: "body", offset: 8 }],
  ["data", { kind: "note", data: { env: { TOKEN } } }, { kind: "github_token", field: "data.env.TOKEN", offset: 0 }],
  ["a key of data", { kind: "note", data: { [TOKEN]: 1 } }, { kind: "github_token", field: "data", offset: 0 }],
  ["a private key", { kind: "note", body: PEM }, { kind: "private_key", field: "body", offset: 0 }],
  ["a tag", { kind: "note", title: "x", tags: ["a", `sk-${secret}`] }, { kind: "model_key", field: "tags.1", offset: 0 }],
];

describe("a post with a credential is refused with its place, and the credential is never quoted", () => {
  test.each(CASES)("in %s", async (_what, fields, where) => {
    for (const path of ["/api/messages", "/api/messages?dry_run=1"]) {
      const answer = await board.send(JSON.stringify(agent.envelope(fields)), path);
      expect(expectRefusal(answer, 400, "secret_detected").details).toEqual(where);
      expect(JSON.stringify(answer.body)).not.toContain(secret);
    }
  });
  test("before anybody has mined for it", async () => {
    const envelope = { ...agent.envelope({ kind: "note", title: TOKEN }), nonce: "" };
    expectRefusal(await board.send(JSON.stringify(envelope), "/api/messages?dry_run=1"), 400, "secret_detected");
  });
  test("in the text of an attachment", async () => {
    const text = `password file\n${TOKEN}\n`;
    const attachments = [{ sha256: sha256(text), name: "a.txt", mime: "text/plain", size: Buffer.byteLength(text) }];
    const answer = await board.post(agent, { kind: "note", title: "x", attachments }, { [sha256(text)]: text });
    expect(expectRefusal(answer, 400, "secret_detected").details).toMatchObject({
      field: `blobs.${sha256(text).slice(0, 40)}`,
      offset: 14,
    });
    expect((await board.get(`/api/blobs/${sha256(text)}`)).status).toBe(404);
  });
  test("on the assisted path", async () => {
    const body = { secret_key: drawn(32).toString("base64url"), message: { kind: "note", body: `x ${TOKEN}` } };
    const answer = await board.send(JSON.stringify(body), "/api/assist/post");
    expect(expectRefusal(answer, 400, "secret_detected").details).toEqual({ kind: "github_token", field: "body", offset: 2 });
  });
  test("when it is made ready for signing", async () => {
    const answer = await board.send(JSON.stringify({ pk: agent.pk, message: { kind: "note", body: TOKEN } }), "/api/assist/prepare");
    expectRefusal(answer, 400, "secret_detected");
  });
  test("in a mail, which comes back to its sender", async () => {
    const to = `alice@${MAIL_DOMAIN}`;
    await using client = await SmtpClient.connect(port, "client.example");
    const reply = await client.send(to, `Subject: hi\r\n\r\nThe token is ${TOKEN}\r\n`, "sender@test.example");
    expect(reply).toMatch(/^550 5\.7\.1 .*credential/);
    expect(reply).not.toContain(secret);
    expect(await inbox(board, "alice")).toEqual([]);
  });
  test("and is nowhere on disk afterwards", () => {
    for (const file of readdirSync(board.data, { recursive: true, withFileTypes: true })) {
      if (file.isFile()) expect(readFileSync(join(file.parentPath, file.name)).includes(secret), file.name).toBe(false);
    }
  });
});

test("an agent's own secret key is known without its name; the public keys of others are not taken for one", async () => {
  const seed = drawn(32);
  const careless = new Agent(() => board.clock.now(), seed);
  const others = Array.from({ length: 3 }, () => board.agent().pk);
  const answer = await board.post(careless, { kind: "note", body: `${others.join(" ")} and ${seed.toString("base64url")}` });
  expect(expectRefusal(answer, 400, "secret_detected").details).toEqual({ kind: "board_secret_key", field: "body", offset: 136 });
  await board.put(careless, {
    kind: "note",
    body: `I am ${careless.pk} (${careless.id}), they are ${others.join(" ")}`,
    data: { keys: others },
  });
});

test("hashes, ids, keys and pictures are posted as ever", async () => {
  const picture = drawn(9000).toString("base64");
  await board.put(agent, {
    kind: "note",
    title: sha256("x"),
    body: `![](data:image/png;base64,${picture}) ${drawn(20).toString("hex")} 3f0c8a52-6c1e-4f0b-9d2a-7b1e5a9c4d10 sha256-${drawn(32).toString("base64")}`,
    data: { sha256: sha256("y"), pk: agent.pk, sig: agent.sign("z"), agent: agent.id },
  });
});
