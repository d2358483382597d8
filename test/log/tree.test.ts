// The tree over the log as outside readers use it: heads, tiles, entries and proofs fit together, and agree with the board.
import { createPublicKey, verify } from "node:crypto";
import { mkdirSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { HEAD_FILE } from "../../src/adapters/system/head-file.ts";
import { contentText } from "../../src/core/log/entry-text.ts";
import { checkConfigured } from "../../src/cli/operate/check.ts";
import { DAY_MS } from "../../src/core/durations.ts";
import { LIMITS } from "../../src/core/protocol/limits.ts";
import { sha256, sha256Hex } from "../../src/core/protocol/node-sha256.ts";
import { acceptProof } from "../../src/core/tlog/verify-against-policy.ts";
import { openCheckpoint } from "../../src/core/tlog/checkpoint.ts";
import { parseVerifierKey } from "../../src/core/tlog/key.ts";
import { parseNote } from "../../src/core/tlog/note.ts";
import { planRoot, readLater } from "../../src/core/tlog/proofs-from-tiles.ts";
import { parsePolicy } from "../../src/core/tlog/policy.ts";
import { parseProof } from "../../src/core/tlog/proof-text.ts";
import type { Ed25519Verify } from "../../src/core/tlog/signature.ts";
import { bundlePath, tilePath } from "../../src/core/tlog/tile.ts";
import { ackText } from "../support/acks.ts";
import { TestBoard } from "../support/board.ts";
import { notes, putAll } from "../support/crowd.ts";
import { type Change } from "../support/chain.ts";
import { inTime } from "../support/in-time.ts";
import { naiveRoot } from "../support/naive-tree.ts";
import { ALIAS_BITS } from "../support/agent.ts";
import { hashOf, signed } from "../support/key-stage.ts";
import { configAt } from "../support/operator.ts";
import { expectRefusal } from "../support/refusal.ts";
import { decodeBundle } from "../support/tlog.ts";

const holds: Ed25519Verify = (publicKey, message, signature) => {
  const x = Buffer.from(publicKey).toString("base64url");
  return verify(null, message, createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" }), signature);
};

interface TlogKey {
  readonly origin: string;
  readonly vkey: string;
  readonly statement: string;
  readonly sig: string;
  readonly pk: string;
}
type Receipt = { readonly proof: string; readonly witnesses: number } | null;

const text = async (board: TestBoard, path: string): Promise<string> => (await fetch(board.url + path)).text();
const bytes = async (board: TestBoard, path: string): Promise<Uint8Array> => (await fetch(board.url + path)).bytes();
const keyOf = async (board: TestBoard): Promise<TlogKey> => (await board.get<TlogKey>("/tlog/key")).body;
const policyOf = async (board: TestBoard) => parsePolicy(await text(board, "/tlog/policy"), sha256);

async function headOf(board: TestBoard) {
  const { origin, vkey } = await keyOf(board);
  const note = parseNote(await text(board, "/tlog/checkpoint"));
  return (await openCheckpoint(note, origin, [parseVerifierKey(vkey, sha256)], holds)).checkpoint;
}

async function fill(board: TestBoard, count: number): Promise<void> {
  await putAll(
    board,
    notes(count, (i) => `note ${i}`),
  );
}

test("head, tiles and entries are those of a naive tree over the chain's own texts, at any width", async () => {
  await using board = await TestBoard.start();
  await fill(board, 300);
  const { size, root } = await headOf(board);
  expect(size).toBe(300);
  const [whole, part] = [
    { index: 0, width: 256 },
    { index: 1, width: 44 },
  ];
  const leaves = [
    ...decodeBundle(await bytes(board, `/tlog/${bundlePath(whole)}`), 256),
    ...decodeBundle(await bytes(board, `/tlog/${bundlePath(part)}`), 44),
  ];
  expect(Buffer.from(naiveRoot(leaves)).equals(root)).toBe(true);
  const { changes } = (await board.get<{ changes: Change[] }>("/api/changes?limit=1000")).body;
  expect(leaves.map((leaf) => sha256Hex(leaf))).toEqual(changes.map(({ hash }) => hash));
  const hashes = leaves.map((leaf) => sha256(Buffer.concat([Buffer.of(0), leaf])));
  const tile = async (level: number, index: number, width: number) =>
    Buffer.from(await bytes(board, `/tlog/${tilePath({ level, index, width })}`));
  expect(await tile(0, 0, 256)).toEqual(Buffer.concat(hashes.slice(0, 256)));
  expect(await tile(0, 0, 7)).toEqual(Buffer.concat(hashes.slice(0, 7)));
  expect(await tile(0, 1, 44)).toEqual(Buffer.concat(hashes.slice(256)));
  expect(await tile(1, 0, 1)).toEqual(naiveRoot(leaves.slice(0, 256)));

  // From the cache by now, and byte for byte the same.
  for (const headers of [{}, { "x-other": "1" }])
    for (const [path, width] of [
      ["0/000", 256],
      ["0/000.p/7", 7],
      ["0/000", 256],
      ["0/000.p/7", 7],
    ] as const) {
      const again = await fetch(`${board.url}/tlog/tile/${path}`, { headers });
      expect(await again.bytes()).toEqual(new Uint8Array(Buffer.concat(hashes.slice(0, width))));
    }
  const answer = await fetch(`${board.url}/tlog/tile/0/000`);
  expect(answer.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
  expect(answer.headers.get("content-type")).toBe("application/octet-stream");
  for (const path of [
    "0/001",
    "0/001.p/45",
    "1/000",
    "2/000.p/1",
    "entries/001",
    "entries/002.p/1",
    "0/x000/001",
    "64/000",
    "0/1",
    "0/000.p/256",
    "",
  ])
    expectRefusal(await board.get(`/tlog/tile/${path}`), 404, "not_found");
  const hintAt = async (path: string) => (await board.get<{ error: { hint: string } }>(`/tlog/tile/${path}`)).body.error.hint;
  expect(await hintAt("0/002")).toContain("/tlog/checkpoint");
  expect(await hintAt("entries/001")).toContain(".p/<width>");
  expect(await hintAt("0/1")).toContain("c2sp.org/tlog-tiles");
});

describe("a proof", () => {
  test("of a message is checked offline, against its own payload, and outlives the message", async () => {
    await using board = await TestBoard.start();
    await fill(board, 3);
    const agent = board.agent();
    const envelope = agent.envelope({ kind: "note", body: "to be proved", ttl: "1h" });
    const posted = await inTime(board, () => board.send(JSON.stringify(envelope), "/api/messages?receipt=1"));
    expect(posted.status).toBe(201);
    const body = posted.body as unknown as { id: string; seq: number; sig: string; nonce: string; receipt: Receipt };
    expect(body).not.toHaveProperty("proof_url");
    const again = await board.send(JSON.stringify(envelope), "/api/messages?receipt=1");
    expect([again.status, again.body]).toMatchObject([200, { result: "exists", sig: envelope.sig, nonce: envelope.nonce }]);
    const policy = await policyOf(board);
    const check = async (proof: string): Promise<number> => {
      const leaf = parseProof(proof).extra!;
      const { index, witnesses } = await acceptProof(proof, leaf, policy, { sha256, verify: holds });
      expect([index, witnesses]).toEqual([body.seq - 1, []]);
      const [, seq, , type, id, digest] = Buffer.from(leaf).toString().split("\n");
      expect([seq, type, id]).toEqual([String(body.seq), "create", body.id]);
      expect(digest).toBe(sha256Hex(contentText({ payload: envelope.payload, sig: body.sig, nonce: body.nonce })));
      return index;
    };
    await check(body.receipt!.proof);
    await check((again.body as unknown as { receipt: Receipt }).receipt!.proof);
    board.clock.advance(2 * 3_600_000);
    expectRefusal(await board.get(`/api/messages/${body.id}`), 410, "expired");
    const proof = await inTime(board, () => text(board, `/api/messages/${body.id.slice(0, 12)}/proof`));
    await check(proof);
    expect(await text(board, `/api/changes/${body.seq}/proof`)).toBe(proof);
    await expect(acceptProof(body.receipt!.proof, Buffer.from("another leaf"), policy, { sha256, verify: holds })).rejects.toThrow(
      "another root",
    );
    expectRefusal(await board.get("/api/changes/999/proof"), 404, "not_found");
    expectRefusal(await board.get(`/api/messages/${"0".repeat(64)}/proof`), 404, "not_found");
  });

  test("is available by the id as long as the entry is stored, also when the message is forgotten", async () => {
    await using board = await TestBoard.start();
    const agent = board.agent();
    const { id, seq } = await board.put(agent, { kind: "note", body: "gone, and then forgotten", ttl: "1h" });
    board.clock.advance(2 * 3_600_000);
    expectRefusal(await board.get(`/api/messages/${id}`), 410, "expired");
    board.clock.advance((LIMITS.gone_days + 1) * DAY_MS);
    await board.put(agent, { kind: "note", body: "a new day" });
    expectRefusal(await board.get(`/api/messages/${id}`), 404, "not_found");
    const proof = await inTime(board, () => text(board, `/api/messages/${id}/proof`));
    expect(await text(board, `/api/messages/${id.slice(0, 10)}/proof`)).toBe(proof);
    const named = await board.get("/api/messages/some-alias/proof");
    expect(expectRefusal(named, 404, "not_found").message).toContain("/api/changes/{seq}/proof");
    const { index } = await acceptProof(proof, parseProof(proof).extra!, await policyOf(board), { sha256, verify: holds });
    expect(index).toBe(seq - 1);
    expect(await checkConfigured(configAt(board.data), board.clock.now())).toMatchObject({ findings: [] });
    await fill(board, 256);
    board.clock.advance((LIMITS.log_days + 1) * DAY_MS);
    await board.put(agent, { kind: "note", body: "and another" });
    expectRefusal(await board.get(`/api/messages/${id}/proof`), 404, "not_found");
  });

  test("comes with what the board signs for others too", async () => {
    await using board = await TestBoard.start();
    const { secret_key } = (await board.send("{}", "/api/assist/keygen")).body as unknown as { secret_key: string };
    const assisted = async (path: string, asked: object) =>
      (await board.send(JSON.stringify({ secret_key, ...asked }), `/api/assist/${path}`)).body as unknown as {
        receipt: Receipt;
        proof_url?: string;
      };
    const posted = await assisted("post?receipt=1", { message: { kind: "note", body: "proved" } });
    expect(Buffer.from(parseProof(posted.receipt!.proof).extra!).toString()).toContain("\ncreate\n");
    expect(posted).not.toHaveProperty("proof_url");
    board.clock.advance(1000);
    const named = await assisted("alias?receipt=1", { op: "claim", alias: "assisted" });
    expect(Buffer.from(parseProof(named.receipt!.proof).extra!).toString()).toContain("\nalias_claim\nassisted\n");
    expect(await assisted("post", { message: { kind: "note", body: "plain" } })).toHaveProperty("proof_url");
  });

  test("comes with an alias too, the same for the same operation again; without receipt=1 there is its address", async () => {
    await using board = await TestBoard.start();
    const agent = board.agent();
    const claim = JSON.stringify({ v: 1, pk: agent.pk, ts: Math.floor(board.clock.now() / 1000), op: "claim", alias: "proved" });
    const sealed = JSON.stringify(agent.seal(claim, undefined, ALIAS_BITS));
    const first = await board.send(sealed, "/api/aliases?receipt=1");
    const { receipt, seq } = first.body as unknown as { receipt: Receipt; seq: number };
    expect([first.status, seq]).toEqual([201, 1]);
    expect(Buffer.from(parseProof(receipt!.proof).extra!).toString()).toContain("\nalias_claim\nproved\n");
    const again = (await board.send(sealed, "/api/aliases")).body as unknown as { proof_url: string };
    expect(again.proof_url).toBe("http://board.test/api/changes/1/proof");
    const { proof_url } = (await board.post(agent, { kind: "note", body: "plain" })).body as unknown as { proof_url: string };
    expect(proof_url).toMatch(/^http:\/\/board\.test\/api\/messages\/[0-9a-f]{64}\/proof$/);
  });
});

describe("a receipt", () => {
  interface Answered {
    readonly seq: number;
    readonly receipt?: Receipt;
    readonly proof_url?: string;
  }
  const leafIn = ({ receipt }: Answered): string => Buffer.from(parseProof(receipt!.proof).extra!).toString();

  test("comes with an acknowledgement and with a key operation, the same for the same again, and holds offline", async () => {
    await using board = await TestBoard.start();
    const [agent, sender] = [board.agent(), board.agent()];
    const { id } = await board.put(sender, { kind: "task", title: "for you", to: agent.id });
    const name = await board.name();
    const ack = JSON.stringify(agent.seal(ackText(name, agent, board.clock.now(), { acted: [id] }), undefined, 0));
    const commit = JSON.stringify(signed(agent, agent, { op: "commit", next: hashOf(sender) }, name, board.clock.now()));
    const policy = await policyOf(board);
    for (const [path, envelope, type] of [
      ["/api/acks", ack, "ack"],
      ["/api/keys", commit, "key_commit"],
    ] as const) {
      const first = await inTime(board, () => board.send(envelope, `${path}?receipt=1`));
      const answer = first.body as unknown as Answered;
      expect([first.status, answer]).toEqual([201, expect.not.objectContaining({ proof_url: expect.anything() })]);
      const [, seq, , kind, about, digest] = leafIn(answer).split("\n");
      expect([seq, kind, about, digest]).toEqual([String(answer.seq), type, agent.id, sha256Hex(envelope)]);
      const leaf = parseProof(answer.receipt!.proof).extra!;
      const { index } = await acceptProof(answer.receipt!.proof, leaf, policy, { sha256, verify: holds });
      expect(index).toBe(answer.seq - 1);
      const again = await inTime(board, () => board.send(envelope, `${path}?receipt=1`));
      expect([again.status, leafIn(again.body as unknown as Answered)]).toEqual([200, leafIn(answer)]);
      const plain = (await board.send(envelope, path)).body as unknown as Answered;
      expect([plain.receipt, plain.proof_url]).toEqual([undefined, `http://board.test/api/changes/${answer.seq}/proof`]);
    }
  });

  test("is null if the board cannot sign, with its address instead: an accepted post is never refused afterwards", async () => {
    await using board = await TestBoard.start();
    const agent = board.agent();
    // A disk on which no head can be written.
    const blocked = join(board.data, `${HEAD_FILE}.next`);
    mkdirSync(blocked);
    const envelope = JSON.stringify(agent.envelope({ kind: "note", body: "written all the same" }));
    const sent = await board.send(envelope, "/api/messages?receipt=1");
    const { id, receipt, proof_url } = sent.body as unknown as Answered & { id: string };
    expect([sent.status, receipt, proof_url]).toEqual([201, null, `http://board.test/api/messages/${id}/proof`]);
    rmdirSync(blocked);
    const again = await inTime(board, () => board.send(envelope, "/api/messages?receipt=1"));
    expect([again.status, leafIn(again.body as unknown as Answered)]).toEqual([200, expect.stringContaining(id)]);
  });
});

test("the key is named by the board, which signs that once", async () => {
  await using board = await TestBoard.start();
  const key = await keyOf(board);
  const { pk } = (await board.get<{ pk: string }>("/api/checkpoint")).body;
  expect(key).toMatchObject({ origin: "board.test/tlog", pk });
  expect(JSON.parse(key.statement)).toEqual({ v: 1, origin: key.origin, vkey: key.vkey, ts: expect.any(Number) });
  expect(holds(Buffer.from(pk, "base64url"), Buffer.from(key.statement), Buffer.from(key.sig, "base64url"))).toBe(true);
  board.clock.advance(60_000);
  expect(await keyOf(board)).toEqual(key);
  expect(await text(board, "/tlog/policy")).toBe(`log ${key.vkey} http://board.test/tlog\nquorum none\n`);
});

test("a head is signed for the chain's head that is on record, at most one a second", async () => {
  await using board = await TestBoard.start();
  expect((await headOf(board)).size).toBe(0);
  await fill(board, 2);
  expect((await headOf(board)).size).toBe(0);
  board.clock.advance(1000);
  expect((await headOf(board)).size).toBe(2);
  expect((await board.get<{ seq: number }>("/api/checkpoint")).body.seq).toBe(2);
  const answer = await fetch(`${board.url}/tlog/checkpoint`);
  expect(answer.headers.get("cache-control")).toBe("public, max-age=1");
  expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8");
});

test("old entries leave the log in whole tiles, and the content of younger ones is erased; hashes stay, and so does every proof", async () => {
  await using board = await TestBoard.start();
  await fill(board, 255);
  const agent = board.agent();
  const claim = (alias: string): string => {
    const ts = Math.floor(board.clock.now() / 1000);
    return JSON.stringify(agent.seal(JSON.stringify({ v: 1, pk: agent.pk, ts, op: "claim", alias }), undefined, ALIAS_BITS));
  };
  await board.send(claim("first"), "/api/aliases");
  await fill(board, 10);
  await board.send(claim("second"), "/api/aliases");
  const old = await inTime(board, () => text(board, "/api/changes/100/proof"));
  const policy = await policyOf(board);

  board.clock.advance(8 * DAY_MS);
  await board.get("/api/messages");
  board.clock.advance((LIMITS.log_days - 7) * DAY_MS);
  await board.put(agent, { kind: "note", body: "a new day" });
  const { changes, oldest_seq } = (await board.get<{ changes: Change[]; oldest_seq: number }>("/api/changes?limit=1000")).body;
  expect([oldest_seq, changes[0]?.seq]).toEqual([257, 257]);
  const second = changes.find(({ type }) => type === "alias_claim");
  expect([second?.seq, second?.detail]).toEqual([267, null]);
  expect(second?.digest).toMatch(/^[0-9a-f]{64}$/);
  expect(await checkConfigured(configAt(board.data), board.clock.now())).toMatchObject({ findings: [] });

  for (const path of ["/tlog/tile/entries/000", "/tlog/tile/entries/000.p/255", "/api/changes/100/proof", "/api/changes/256/proof"])
    expectRefusal(await board.get(path), 404, "not_found");
  const { error } = (await board.get<{ error: { hint: string } }>("/tlog/tile/entries/000")).body;
  expect(error.hint).toContain("/tlog/tile/entries/001");
  const { root, size } = await inTime(board, () => headOf(board));
  const found = await readLater(planRoot(size), (tile) => bytes(board, `/tlog/${tilePath(tile)}`), sha256);
  expect(Buffer.from(found).equals(root)).toBe(true);
  const proof = await inTime(board, () => text(board, "/api/changes/257/proof"));
  for (const one of [old, proof]) await acceptProof(one, parseProof(one).extra!, policy, { sha256, verify: holds });
});
