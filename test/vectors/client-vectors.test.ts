// The TypeScript client, tested with the protocol vectors of every client.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  agentId,
  type Change,
  type Checkpoint,
  loadKey,
  LogFault,
  messageId,
  type RawMessage,
  verifyEnvelope,
} from "../../src/client/client.ts";
import { sha256Hex } from "../../src/client/message-and-agent-ids.ts";
import { KeyAudit } from "../../src/client/node/audit-agent-keys.ts";
import { requireSignature } from "../../src/client/verify-envelope.ts";
import { requireCheckpoint, requireEntry, requireHead } from "../../src/client/verify-log.ts";
import { keyWords, loadWords } from "../../src/client/words.ts";
import { GENESIS } from "../../src/core/log/entry-text.ts";
import { WORD_LIST } from "../../src/core/protocol/bip39-words.ts";
import { workBits } from "../../src/core/protocol/proof-of-work.ts";
import type { chainFile } from "../../vectors/make-chain.ts";
import type { keysFile } from "../../vectors/make-keys.ts";
import type { messagesFile } from "../../vectors/make-messages.ts";
import type { refusalsFile } from "../../vectors/make-refusals.ts";
import type { signaturesFile, workFile } from "../../vectors/make-signatures.ts";
import type { wordsFile } from "../../vectors/make-words.ts";

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the shape of a file it knows.
const read = <T>(name: string): T => JSON.parse(readFileSync(join(import.meta.dirname, "../../vectors/protocol", name), "utf8")) as T;
const verdict = (promise: Promise<unknown>): Promise<string | null> =>
  promise.then(
    () => null,
    (error: { code: string }) => error.code,
  );

test("keys, agent ids, message ids, signatures and work come out as on the board", async () => {
  for (const { name, seed, pk, agent_id: agent, id, payload, sig, nonce, bits } of read<ReturnType<typeof messagesFile>>("messages.json")
    .messages) {
    const key = await loadKey(seed);
    expect([key.pk, key.agent, agentId(pk), messageId(payload), await key.sign(payload)], name).toEqual([pk, agent, agent, id, sig]);
    expect(await verifyEnvelope({ payload, sig, nonce }, { bits }), name).toMatchObject({ id, author: agent, bits });
  }
  for (const { id, nonce, hash, bits } of read<ReturnType<typeof workFile>>("work.json").work)
    expect([sha256Hex(`${id}:${nonce}`), workBits(id, nonce)], nonce).toEqual([hash, bits]);
});

test("a key and its 24 words are one another, however they are spelled; a slip of the pen is noticed", async () => {
  const { words, spellings, bad } = read<ReturnType<typeof wordsFile>>("words.json");
  for (const one of words) {
    expect(keyWords(await loadKey(one.seed))).toBe(one.words);
    expect((await loadWords(one.words)).secret()).toBe(one.seed);
  }
  for (const one of spellings) expect((await loadWords(one)).secret()).toBe(words[0]?.seed);
  for (const one of bad) expect([one.name, await verdict(loadWords(one.words))]).toEqual([one.name, "bad_encoding"]);
  await expect(loadWords(`absense ${"zoo ".repeat(23)}`)).rejects.toThrow(
    'Word 1, "absense", is not in the word list. Those that begin alike: absent, absorb',
  );
});

test("the list of words is the published one, and client.py has the same", () => {
  const list = WORD_LIST.trim().split(/\s+/);
  // From the file english.txt of BIP 39.
  expect(sha256Hex(`${list.join("\n")}\n`)).toBe("2f5eed53a4727b4bf8880d8f3f199efc90e58503646d9ff8eff3a2ed3b24dbda");
  const python = readFileSync(join(import.meta.dirname, "../../clients/python/client.py"), "utf8");
  expect(/_WORD_LIST = """\n([^"]+)"""/.exec(python)?.[1]?.trim().split(/\s+/)).toEqual(list);
});

test("signatures are judged by the strict rule", async () => {
  for (const { name, pk, text, sig, code } of read<ReturnType<typeof signaturesFile>>("signatures.json").signatures)
    expect([name, await verdict(requireSignature(pk, text, sig))]).toEqual([name, code]);
});

test("an envelope that any reader can refuse is refused, with the board's code", async () => {
  const { proof, required_bits: bits } = read<ReturnType<typeof refusalsFile>>("refusals.json");
  expect(proof.length).toBeGreaterThan(5);
  for (const { name, code, body } of proof)
    expect([name, await verdict(verifyEnvelope(JSON.parse(body) as RawMessage, { bits }))]).toEqual([name, code]);
});

test("an envelope with too little work learns how little, in good English", async () => {
  const message = read<ReturnType<typeof messagesFile>>("messages.json").messages[0];
  if (message === undefined) throw new Error("no message");
  const proving = (bits: number): string => {
    for (let n = 0; ; n++) if (workBits(message.id, String(n)) === bits) return String(n);
  };
  const refused = (bits: number): Promise<unknown> => verifyEnvelope({ ...message, nonce: proving(bits) }, { bits: bits + 1 });
  await expect(refused(1)).rejects.toThrow("proves 1 bit of work, not 2.");
  await expect(refused(2)).rejects.toThrow("proves 2 bits of work, not 3.");
});

interface Log {
  readonly entries: readonly unknown[];
  readonly checkpoint: Checkpoint;
}
async function replay(log: Log, audit = new KeyAudit()): Promise<object | null> {
  try {
    await requireCheckpoint(log.checkpoint);
    let head = { seq: 0, hash: GENESIS };
    for (const entry of log.entries) {
      head = await requireEntry(head, entry as Change);
      audit.take(entry as Change);
    }
    requireHead(head, log.checkpoint);
    await audit.finish(true);
    return null;
  } catch (error) {
    if (!(error instanceof LogFault)) throw error;
    return { seq: error.seq, what: error.what };
  }
}

describe("key operations of agents", () => {
  const { logs, impossible } = read<ReturnType<typeof keysFile>>("keys.json");

  test.for(logs)("is replayed from the log alone: $name", async ({ holders, ...log }) => {
    const audit = new KeyAudit();
    expect(await replay(log, audit)).toBeNull();
    for (const [agent, holder] of Object.entries(holders)) {
      const current = audit.book.line(audit.principalOf(agent))?.current ?? agent;
      expect((audit.book.key(current)?.endedAt ?? null) === null ? current : null, agent).toBe(holder);
    }
  });
  test.for(impossible)("is refused where $name", async ({ fault, ...log }) => {
    expect(await replay(log)).toEqual(fault);
  });
  test("of a log whose beginning is gone is replayed as far as it stands by itself", async () => {
    const audit = new KeyAudit();
    for (const entry of (logs[0]?.entries ?? []).slice(1)) audit.take(entry);
    await audit.finish(false);
    expect([audit.operations, audit.skipped]).toEqual([1, 1]);
  });
});

describe("a log", () => {
  const { entries, checkpoint, tampered } = read<ReturnType<typeof chainFile>>("chain.json");

  test("that is honest replays to its signed head", async () => {
    expect(await replay({ entries, checkpoint })).toBeNull();
  });
  test.for(tampered)("is refused where $name", async ({ fault, ...log }) => {
    expect(await replay(log)).toEqual(fault);
  });
});
