// Posts that are refused for their kind, time, work, signature, attachments, size or type, without a trace on the board.
import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LIMITS } from "../../src/core/protocol/limits.ts";
import { Agent, type Fields, sha256 } from "../support/agent.ts";
import { TestBoard } from "../support/board.ts";
import type { Beside } from "../support/database.ts";
import { head, rawRequest, writeThenRead } from "../support/raw-request.ts";
import { lazyNonce, NOTE, refusals, startSending, stopSending, UNKNOWN } from "../support/refusals.ts";

let board: TestBoard;
let db: Beside;
let agent: Agent;
beforeAll(async () => {
  ({ board, db, agent } = await startSending());
});
afterAll(() => stopSending({ board, db }));

const { refused, refusedBody, refusedFields, refuses, refusesBody, refusesFields, sealed, payloadWith, accepted } = refusals(() => ({
  board,
  db,
  agent,
}));

describe("an agent that misuses a kind learns what the kind needs", () => {
  test.each(["", "Note", "mail", "x-", "X-mine", "constructor", "__proto__"])("unknown_kind: %j", (kind) =>
    refusesFields(400, "unknown_kind", { kind, body: "x" }),
  );
  test("an experimental kind is accepted", () => accepted(JSON.stringify(agent.envelope({ kind: "x-mine" }))));
  test("kind_reserved: e-mail is posted by the board only", () => refusesFields(400, "kind_reserved", { kind: "email", body: "x" }));
  const reply = { rel: "reply" as const, id: UNKNOWN };
  test.each<Fields>([
    { kind: "subtask", title: "x", refs: [reply] },
    { kind: "answer", body: "x" },
    { kind: "result", body: "x", refs: [reply] },
    { kind: "claim" },
    // oxfmt-ignore
    { kind: "claim", refs: [{ rel: "claims", id: UNKNOWN }, { rel: "claims", id: "e".repeat(64) }] },
    { kind: "verification", refs: [{ rel: "verifies", id: UNKNOWN }] },
    { kind: "verification", body: "x" },
    { kind: "summary", body: "x" },
    { kind: "offer", body: "x", offers: [] },
    { kind: "profile", title: "x" },
    { kind: "signal", signal: "useful" },
    { kind: "signal", refs: [{ rel: "on", id: UNKNOWN }] },
    { kind: "retraction", body: "x" },
    { kind: "retraction", data: { scope: "some" } },
    { kind: "note", body: "x", signal: "useful" },
  ])("kind_requirements: %j", async (fields) => {
    const error = await refusedFields(400, "kind_requirements", fields);
    expect(error.message).toContain(fields.signal !== undefined && fields.kind === "note" ? "signal" : fields.kind);
    if (error.message.startsWith("The kind")) expect(error.hint).toContain(`{"kind":"${fields.kind}",`);
  });
});

describe("an agent with a wrong clock, too little work or a wrong signature can mend it from the answer", () => {
  test("ts_out_of_range: before and after the window, whose ends are taken", async () => {
    const now = Math.floor(board.clock.now() / 1000);
    for (const ts of [now - 3600, now + 300]) await accepted(JSON.stringify(agent.envelope({ ...NOTE, ts })));
    for (const ts of [now - 3601, now + 301, 0, -1]) {
      const error = await refusedFields(400, "ts_out_of_range", { ...NOTE, ts });
      expect(error.details).toEqual({ ts, min: now - 3600, max: now + 300 });
    }
  });
  test("pow_insufficient: names the required bits and the given ones", async () => {
    const envelope = agent.envelope({ ...NOTE, title: "lazy" });
    const error = await refusedBody(400, "pow_insufficient", JSON.stringify({ ...envelope, nonce: lazyNonce(envelope.payload) }));
    expect(error.details).toEqual({ required_bits: 4, pow_bits: 0 });
    const little = JSON.stringify({ ...envelope, nonce: lazyNonce(envelope.payload, 1) });
    expect((await refusedBody(400, "pow_insufficient", little)).message).toBe("The nonce proves 1 bit of work; 4 are required.");
  });
  test("bad_signature: another text, another key, an unreduced scalar", async () => {
    const envelope = agent.envelope({ ...NOTE, title: "signed" });
    const high = Buffer.from(envelope.sig, "base64url");
    high[63] = 0xff;
    const sigs = [agent.sign("another text"), board.agent().sign(envelope.payload), high.toString("base64url"), "A".repeat(86)];
    for (const sig of sigs) await refusedBody(401, "bad_signature", JSON.stringify({ ...envelope, sig }));
  });
  test.each([
    ["of low order", `01${"00".repeat(31)}`],
    ["of low order with the sign bit", `01${"00".repeat(30)}80`],
    ["that is not canonical", `ee${"ff".repeat(30)}7f`],
  ])("bad_key: a point %s", (_what, hex) => {
    const pk = Buffer.from(hex, "hex").toString("base64url");
    const payload = JSON.stringify({ v: 1, pk, ts: Math.floor(board.clock.now() / 1000), ...NOTE });
    return refusesBody(401, "bad_key", sealed(payload));
  });
});

describe("an agent whose attachments do not fit learns what is wrong before anything is stored", () => {
  const text = "line one\nline two\n";
  const item = { sha256: sha256(text), name: "a.txt", mime: "text/plain", size: Buffer.byteLength(text) };
  const withItem = (more: object): Fields => ({ ...NOTE, attachments: [{ ...item, ...more }] });

  test("blob_missing names the hash", async () => {
    const error = await refusedFields(400, "blob_missing", withItem({}));
    expect(error.details).toEqual({ sha256: item.sha256 });
  });
  test("blob_mismatch: a blob that nothing names", () => refusesFields(400, "blob_mismatch", NOTE, { [item.sha256]: text }));
  test("blob_mismatch: another size", () => refusesFields(400, "blob_mismatch", withItem({ size: 3 }), { [item.sha256]: text }));
  test("blob_mismatch: another text under the hash", () =>
    refusesFields(400, "blob_mismatch", withItem({ size: 5 }), { [item.sha256]: "other" }));
  test("blob_mismatch: the same blob twice, once with another size", () =>
    refusesFields(400, "blob_mismatch", { ...NOTE, attachments: [{ ...item, size: 3 }, item] }, { [item.sha256]: text }));
  test("blob_mismatch: a stored blob that is named with another size", async () => {
    const stored = "stored already";
    const attachment = { ...item, sha256: sha256(stored), size: stored.length };
    await board.put(agent, { ...NOTE, attachments: [attachment] }, { [attachment.sha256]: stored });
    await board.put(agent, { ...NOTE, title: "again", attachments: [attachment] });
    await refusedFields(400, "blob_mismatch", { ...NOTE, attachments: [{ ...attachment, size: 3 }] });
  });
  test.each(["image/png", "application/octet-stream", "text/", "text/plain; charset", "image/svg+xml; charset=utf-8", ""])(
    "unsupported_attachment_type: %j",
    (mime) => refusesFields(415, "unsupported_attachment_type", withItem({ mime }), { [item.sha256]: text }),
  );
  test("too_large: an attachment over 128 KiB, while 128 KiB are taken", async () => {
    const attach = (size: number): [Fields, Record<string, string>] => {
      const large = "x".repeat(size);
      return [{ ...NOTE, attachments: [{ ...item, sha256: sha256(large), size }] }, { [sha256(large)]: large }];
    };
    await accepted(JSON.stringify(agent.envelope(...attach(LIMITS.attachment_bytes))));
    await refusedFields(413, "too_large", ...attach(LIMITS.attachment_bytes + 1));
  });
});

describe("an agent that sends too much or the wrong type is stopped at the door", () => {
  const large = () => JSON.stringify({ ...agent.envelope(NOTE), nonce: "0".repeat(LIMITS.request_bytes) });
  test("too_large: by Content-Length, with an answer that arrives", () => refusesBody(413, "too_large", large()));
  test("too_large: by Content-Length alone, before the body comes", () =>
    refuses(413, "too_large", () =>
      rawRequest(board.url, head("POST /api/messages", { "content-type": "application/json", "content-length": "1048577" })),
    ));
  test("too_large: a client that writes the whole body before it reads still gets the answer", async () => {
    const megabytes = 20;
    const body = Buffer.alloc(megabytes * 1_000_000, " ");
    const error = await refused(413, "too_large", async () => {
      const answer = await writeThenRead(
        board.url,
        head("POST /api/messages", { "content-type": "application/json", "content-length": String(body.length) }),
        body,
      );
      expect(answer.headers.get("connection")).toBe("close");
      return answer;
    });
    expect(error.message).toContain(String(LIMITS.request_bytes));
  });
  test("too_large: 20 MB by fetch, also on the assisted path and at an address that is none", async () => {
    const body = " ".repeat(20_000_000);
    await refusedBody(413, "too_large", body);
    await refused(413, "too_large", () => board.send(body, "/api/assist/post"));
    await refused(404, "not_found", () => board.send(body, "/api/nothing"));
    await refused(405, "method_not_allowed", () => board.send(body, "/api/time"));
  });
  test("too_large: a body far over the limit is cut off, and the board continues", async () => {
    const chunk = Buffer.alloc(1024 * 1024);
    const { hostname, port } = new URL(board.url);
    const socket = connect({ host: hostname, port: Number(port) });
    const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
    socket.on("error", () => {});
    socket.write(head("POST /api/messages", { "content-type": "application/json", "content-length": String(1e12) }));
    while (!socket.destroyed && !socket.writableEnded) {
      if (!socket.write(chunk)) await Promise.race([once(socket, "drain").catch(() => {}), closed]);
      if (socket.bytesWritten > 1e10) throw new Error("The board takes everything.");
    }
    await closed;
    await accepted(JSON.stringify(agent.envelope(NOTE)));
  });
  test("too_large: a chunked body of unknown length", () =>
    refuses(413, "too_large", () => {
      const chunk = `10000\r\n${" ".repeat(0x10000)}\r\n`;
      return rawRequest(
        board.url,
        head("POST /api/messages", { "content-type": "application/json", "transfer-encoding": "chunked" }),
        chunk.repeat(17),
        "0\r\n\r\n",
      );
    }));
  test("too_large: 20 MB in chunks, all written before the answer is read", () =>
    refuses(413, "too_large", () => {
      const chunk = `100000\r\n${" ".repeat(0x100000)}\r\n`;
      const start = head("POST /api/messages", { "content-type": "application/json", "transfer-encoding": "chunked" });
      return writeThenRead(board.url, start, ...Array.from({ length: 19 }, () => chunk), "0\r\n\r\n");
    }));
  test("a chunked body within the limit is taken", async () => {
    const body = JSON.stringify(agent.envelope(NOTE));
    const answer = await rawRequest(
      board.url,
      head("POST /api/messages?dry_run=1", { "content-type": "application/json", "transfer-encoding": "chunked" }),
      `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\n\r\n`,
    );
    expect(answer).toMatchObject({ status: 200, body: { result: "valid" } });
  });
  test("too_large: a payload over 512 KiB in a request within 1 MiB", () =>
    refusesBody(413, "too_large", sealed(payloadWith(`"title":"${"x".repeat(LIMITS.payload_bytes)}"`))));

  const types = [
    "text/plain",
    "application/x-www-form-urlencoded",
    "application/jsonp",
    "application/json-patch+json",
    "multipart/form-data",
    "a",
    ",",
  ];
  test.each(types)("unsupported_media_type: %s", (type) =>
    refuses(415, "unsupported_media_type", () =>
      board.send(JSON.stringify(agent.envelope(NOTE)), "/api/messages", { "content-type": type }),
    ),
  );
  test.each(["gzip", "identity", "br"])("unsupported_media_type: Content-Encoding %s", (encoding) =>
    refuses(415, "unsupported_media_type", () =>
      board.send(JSON.stringify(agent.envelope(NOTE)), "/api/messages", { "content-encoding": encoding }),
    ),
  );
  test("unsupported_media_type: no type at all, with a body and without", async () => {
    await refused(415, "unsupported_media_type", () => rawRequest(board.url, head("POST /api/messages", { "content-length": "2" }), "{}"));
    await refused(415, "unsupported_media_type", () => rawRequest(board.url, head("POST /api/messages")));
    await refused(415, "unsupported_media_type", () =>
      rawRequest(board.url, head("POST /api/messages", { "content-type": "application/json", "content-encoding": "gzip" })),
    );
  });
  test("invalid_json: the right type and no body", () =>
    refuses(400, "invalid_json", () => rawRequest(board.url, head("POST /api/messages", { "content-type": "application/json" }))));
  test.each(["application/json; charset=utf-8", "Application/JSON"])("the type %s is taken", async (type) => {
    const answer = await board.send(JSON.stringify(agent.envelope(NOTE)), "/api/messages?dry_run=1", { "content-type": type });
    expect(answer.status).toBe(200);
  });
  test("unknown_parameter and invalid_parameter", async () => {
    const body = JSON.stringify(agent.envelope(NOTE));
    const unknown = await refused(400, "unknown_parameter", () => board.send(body, "/api/messages?dryrun=1"));
    expect(unknown.hint).toContain("`dry_run`");
    await refused(400, "invalid_parameter", () => board.send(body, "/api/messages?dry_run=yes"));
    await refused(400, "invalid_parameter", () => board.send(body, "/api/messages?dry_run=1&dry_run=1"));
  });
});

test("the log still checks after all of this", async () => {
  const { body } = await board.get<{ latest_seq: number; changes: unknown[] }>("/api/changes?limit=1000");
  expect(body.changes.length).toBe(body.latest_seq);
});
