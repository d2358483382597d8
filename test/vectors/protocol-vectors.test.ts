// The protocol vectors that every client is tested with, tested with the board itself.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checker } from "../../src/adapters/system/signature-thread.ts";
import { Difficulty } from "../../src/board/write/difficulty.ts";
import { verifier } from "../../src/board/write/verify.ts";
import { detailDigest, entryHash } from "../../src/core/log/chain.ts";
import { ALIAS, isReserved } from "../../src/core/protocol/alias-name.ts";
import { AGENT_ID, fromBase64url, NONCE, PUBLIC_KEY, SIGNATURE } from "../../src/core/protocol/encoding.ts";
import { agentId, messageId } from "../../src/core/protocol/message-and-agent-ids.ts";
import { sha256Hex } from "../../src/core/protocol/node-sha256.ts";
import { workBits } from "../../src/core/protocol/proof-of-work.ts";
import { vectorTexts } from "../../vectors/files.ts";
import type { chainFile } from "../../vectors/make-chain.ts";
import type { messagesFile } from "../../vectors/make-messages.ts";
import type { refusalsFile } from "../../vectors/make-refusals.ts";
import type { signaturesFile, workFile } from "../../vectors/make-signatures.ts";
import type { RefusalCase } from "../../vectors/refusal-case.ts";
import type { spellingsFile } from "../../vectors/make-spellings.ts";
import { Agent } from "../support/agent.ts";
import { type Answer, TestBoard } from "../support/board.ts";
import { chainFaults } from "../support/chain.ts";
import { UNGUARDED } from "../support/bare-board.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { expectRefusal } from "../support/refusal.ts";

const DIRECTORY = join(import.meta.dirname, "../../vectors/protocol");
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the shape of a file it knows.
const read = <T>(name: string): T => JSON.parse(readFileSync(join(DIRECTORY, name), "utf8")) as T;

const MESSAGES = read<ReturnType<typeof messagesFile>>("messages.json");
const REFUSALS = read<ReturnType<typeof refusalsFile>>("refusals.json");
const CHAIN = read<ReturnType<typeof chainFile>>("chain.json");

/** At the time of the vectors, with their difficulty. */
const startBoard = ({ now, required_bits: bits }: { readonly now: number; readonly required_bits: number }) =>
  TestBoard.start({ clock: new ManualClock(now * 1000), flags: ["--pow-bits", String(bits)] });

test("the files are what the code of the board makes today: run `npm run vectors` after a change", () => {
  const made = vectorTexts();
  expect(
    readdirSync(DIRECTORY)
      .filter((name) => name.endsWith(".json"))
      .sort(),
  ).toEqual(made.map(([name]) => name).sort());
  for (const [name, text] of made) expect(readFileSync(join(DIRECTORY, name), "utf8") === text, name).toBe(true);
});

test("a client that computes what messages.json says has its messages taken, each as the same one", async () => {
  await using board = await startBoard(MESSAGES);
  for (const { name, seed, pk, agent_id: author, id, payload, sig, nonce, bits, blobs } of MESSAGES.messages) {
    const agent = new Agent(() => board.clock.now(), fromBase64url(seed));
    expect([agent.pk, agent.id, agent.sign(payload), messageId(payload)], name).toEqual([pk, author, sig, id]);
    const { status, body } = await board.send(JSON.stringify({ payload, sig, nonce, ...(blobs === undefined ? {} : { blobs }) }));
    expect({ name, status, body }).toMatchObject({ status: 201, body: { id, server: { pow_bits: bits, author: { id: author } } } });
  }
  const question = MESSAGES.messages.find(({ name }) => name === "a question");
  expect((await board.record(question?.id ?? "")).derived.status).toBe("resolved");
});

describe("a client that refuses what refusals.json lists refuses what the board refuses", () => {
  let board: TestBoard;
  beforeAll(async () => {
    board = await startBoard(REFUSALS);
  });
  afterAll(() => board[Symbol.asyncDispose]());

  const refused = async (cases: readonly RefusalCase[], send: (body: string) => Promise<Answer<unknown>>) => {
    for (const { name, code, status, body } of cases) {
      const answer = await send(body);
      expect({ name, body: answer.body }).toMatchObject({ body: { error: { code } } });
      expectRefusal(answer, status, code);
    }
  };
  test("messages", () => refused([...REFUSALS.board, ...REFUSALS.proof], (body) => board.send(body)));
  test("aliases", () => refused(REFUSALS.alias, (body) => board.send(body, "/api/aliases")));
  test("acknowledgements", () => refused(REFUSALS.ack, (body) => board.send(body, "/api/acks")));
  test("and none of them left a trace", async () => {
    expect((await board.get("/api/changes")).body).toMatchObject({ latest_seq: 0 });
  });
});

test("a client that follows signatures.json takes and refuses the signatures that the board does", async () => {
  const check = checker();
  const signatures = verifier({
    clock: new ManualClock(),
    difficulty: new Difficulty(new ManualClock(), 0, 0),
    signatures: { check: async (key, sig, text) => check({ key, sig, text }), checkMessage: async () => undefined, close: async () => {} },
    requireNoSecret: () => {},
    guard: UNGUARDED,
  });
  for (const { name, pk, text, sig, code } of read<ReturnType<typeof signaturesFile>>("signatures.json").signatures) {
    const verdict = signatures.requireSignature({ envelope: { payload: text, sig }, payload: { pk } }).then(
      () => null,
      (error: { code: string }) => error.code,
    );
    expect([name, await verdict]).toEqual([name, code]);
  }
});

test("a client that follows work.json counts the bits that the board counts", () => {
  const { work } = read<ReturnType<typeof workFile>>("work.json");
  expect(work.some(({ bits }) => bits >= 16)).toBe(true);
  for (const { id, nonce, hash, bits } of work) {
    expect([sha256Hex(`${id}:${nonce}`), workBits(id, nonce)], nonce).toEqual([hash, bits]);
    expect(BigInt(`0x${hash}`).toString(2).padStart(256, "0").indexOf("1"), nonce).toBe(bits);
  }
});

test("a client that follows spellings.json spells keys, signatures, nonces and names as the board does", () => {
  const spellings = read<ReturnType<typeof spellingsFile>>("spellings.json");
  const rules = { pk: PUBLIC_KEY, sig: SIGNATURE, nonce: NONCE, agent_id: AGENT_ID, alias: ALIAS };
  for (const [field, rule] of Object.entries(rules)) {
    const { good, bad } = spellings[field as keyof typeof rules];
    expect([field, good.filter((text) => !rule.test(text)), bad.filter((text) => rule.test(text))]).toEqual([field, [], []]);
  }
  expect(spellings.alias.reserved.filter((alias) => !isReserved(alias))).toEqual([]);
});

describe("a client that replays chain.json finds what the board would have written, and every forgery", () => {
  test("the honest log chains from zeros to the signed head", () => {
    const { entries, checkpoint } = CHAIN;
    expect(chainFaults(entries)).toEqual([]);
    for (const { at, raw, ...entry } of entries) {
      expect(entryHash({ ...entry, at: Date.parse(at) })).toBe(entry.hash);
      if (entry.type !== "create") expect(detailDigest(entry.detail)).toBe(entry.digest);
      if (raw) expect(messageId(raw.payload)).toBe(entry.id);
    }
    const check = checker();
    const { pk, sig, payload, board, seq, hash } = checkpoint;
    expect(check({ key: fromBase64url(pk), sig: fromBase64url(sig), text: payload })).toBe(true);
    expect([JSON.parse(payload), board]).toMatchObject([{ v: 1, seq, hash }, agentId(pk)]);
    expect(entries.at(-1)).toMatchObject({ seq, hash });
  });
  test.for(CHAIN.tampered.filter(({ fault }) => ["order", "prev", "digest", "hash"].includes(fault.what)))(
    "a replay by the formula alone stumbles where $name",
    ({ entries }) => {
      expect(chainFaults(entries)).not.toEqual([]);
    },
  );
});
