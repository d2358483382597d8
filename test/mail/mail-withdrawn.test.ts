// A mail becomes public without its addressee's doing, so the addressee can withdraw it, and nobody else can.
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkConfigured } from "../../src/cli/operate/check.ts";
import type { Agent } from "../support/agent.ts";
import { openStream } from "../support/event-stream.ts";
import { configAt } from "../support/operator.ts";
import { expectRefusal } from "../support/refusal.ts";
import { claim, type EmailRecord, inbox, MAIL_DOMAIN, type MailBoard, mailBoard, SmtpClient } from "../support/smtp.ts";

let mail: MailBoard;
let owner: Agent;
let other: Agent;
beforeAll(async () => {
  mail = await mailBoard();
  [owner, other] = [mail.board.agent(), mail.board.agent()];
  await claim(mail.board, owner, "alice");
  await claim(mail.board, other, "bob");
});
afterAll(() => mail.board[Symbol.asyncDispose]());

async function deliver(title: string): Promise<EmailRecord> {
  await using client = await SmtpClient.connect(mail.port, "client.example");
  const data = `From: a@test.example\r\nMessage-ID: <${title}@test.example>\r\nSubject: ${title}\r\n\r\nprivate words of ${title}`;
  expect(await client.send(`alice@${MAIL_DOMAIN}`, data, "a@test.example")).toMatch(/^250 /);
  const [record] = await inbox(mail.board, "alice");
  if (record === undefined) throw new Error("The inbox is empty.");
  return record;
}

const retraction = (id: string) => ({ kind: "retraction", body: "Not meant for the public.", refs: [{ rel: "retracts" as const, id }] });
const entriesOf = async (id: string) =>
  (await mail.board.get<{ changes: { type: string; id: string }[] }>("/api/changes?limit=1000")).body.changes
    .filter((one) => one.id === id)
    .map(({ type }) => type);

test("the addressee withdraws a mail: it is gone from every view, the log and the stream say so, and it does not come back", async () => {
  const { board } = mail;
  const { id } = await deliver("secret-plans");
  await board.put(other, { kind: "note", body: "seen", refs: [{ rel: "reply", id }] });
  await using live = await openStream(board, "/api/stream?inbox=alice&kind=email");
  await live.upTo("live");
  const before = (await board.get<{ latest_seq: number }>("/api/messages?limit=1")).body.latest_seq;
  const done = await board.put(owner, retraction(id));
  expect(done.warnings).toEqual([]);
  expect((await live.next("gone")).data).toMatchObject({ id, reason: "retracted" });
  // A reader that was away learns of it later.
  await using late = await openStream(board, "/api/stream?inbox=alice&kind=email", { "last-event-id": String(before) });
  expect((await late.upTo("live")).filter(({ event }) => event === "gone").map(({ data }) => data)).toMatchObject([{ id }]);

  const gone = expectRefusal(await board.get(`/api/messages/${id}`), 410, "retracted");
  expect(gone.message).toContain("was withdrawn by the agent that it was sent to");
  expect((await inbox(board, "alice")).map((one) => one.id)).not.toContain(id);
  for (const path of ["/api/messages?kind=email", "/api/messages?q=private", "/api/dump.jsonl", "/api/changes?include=raw&limit=1000"])
    expect(JSON.stringify((await board.get(path)).body), path).not.toContain("private words of secret-plans");
  expect(await entriesOf(id)).toEqual(["create", "retract"]);
  const { body: widened } = await board.get<{ messages: EmailRecord[] }>("/api/messages?include_removed=1&kind=email");
  expect(widened.messages.find((one) => one.id === id)).toMatchObject({ server: { gone: { reason: "retracted" } } });
  expect((await board.record(done.id)).derived).toMatchObject({ root: id, thread_messages: 2 });

  // The sender's server tries once more.
  await using client = await SmtpClient.connect(mail.port, "client.example");
  const again =
    "From: a@test.example\r\nMessage-ID: <secret-plans@test.example>\r\nSubject: secret-plans\r\n\r\nprivate words of secret-plans";
  expect(await client.send(`alice@${MAIL_DOMAIN}`, again, "a@test.example")).toMatch(/^250 /);
  expect((await inbox(board, "alice")).map((one) => one.meta.title)).not.toContain("secret-plans");
  expectRefusal(await board.post(owner, { ...retraction(id), body: "Once more." }), 409, "target_gone");

  await board.get("/api/checkpoint");
  expect((await checkConfigured(configAt(board.data), board.clock.now())).findings).toEqual([]);
});

test("nobody else can, and the refusal says who could", async () => {
  const { board } = mail;
  const { id } = await deliver("for-alice");
  const error = expectRefusal(await board.post(other, retraction(id)), 409, "not_author");
  expect(error.message).toContain(`e-mail to ${owner.id}`);
  expect(error.hint).toContain("POST /api/reports");
  expect(error.details).toMatchObject({ id, to: owner.id });
  expect(await entriesOf(id)).toEqual(["create"]);
});

test("the addressee of a mail can only withdraw it, and messages of agents stay their own", async () => {
  const { board } = mail;
  const { id } = await deliver("kept");
  expectRefusal(await board.post(owner, { kind: "note", title: "instead", refs: [{ rel: "supersedes", id }] }), 409, "not_author");
  const note = await board.put(other, { kind: "note", title: "to alice", to: owner.id });
  expectRefusal(await board.post(owner, retraction(note.id)), 409, "not_author");
  expectRefusal(
    await board.post(owner, {
      kind: "note",
      title: "x",
      refs: [
        { rel: "retracts", id },
        { rel: "retracts", id: note.id },
      ],
    }),
    409,
    "not_author",
  );
  expect(await entriesOf(id)).toEqual(["create"]);
});
