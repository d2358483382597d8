import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import { Agent, TEST_BITS } from "../../../test/support/agent.ts";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import { openSqliteStore } from "../../adapters/sqlite/store.ts";
import { signaturePool } from "../../adapters/system/signature-pool.ts";
import { Refusal } from "../../core/errors.ts";
import { readRiskTable } from "../../core/guard/risk/scorer.ts";
import type { Envelope } from "../../core/protocol/envelope.ts";
import { messageId } from "../../core/protocol/message-and-agent-ids.ts";
import { workBits } from "../../core/protocol/proof-of-work.ts";
import { type Store, StoreFailure, type Writer } from "../../ports/store.ts";
import { RateLimiter } from "../limits/rate.ts";
import { Appender } from "./append.ts";
import { type Bundle, bundles } from "./post-many.ts";
import { Difficulty } from "./difficulty.ts";
import { TextGuard } from "./text-guard.ts";
import { postSteps } from "./post.ts";
import { verifier } from "./verify.ts";

const signatures = signaturePool(1);
afterAll(() => signatures.close());

let data: string;
let clock: ManualClock;
let store: Store;
let difficulty: Difficulty;
let agent: Agent;
let guard: TextGuard;
beforeEach(async () => {
  data = mkdtempSync(join(tmpdir(), "bundle-"));
  clock = new ManualClock();
  store = await openSqliteStore(data, () => {});
  difficulty = new Difficulty(clock, TEST_BITS, TEST_BITS + 4, 1);
  agent = new Agent(() => clock.now());
  guard = new TextGuard(readRiskTable(readFileSync(new URL("../../../models/guard.bin", import.meta.url))), clock);
});
afterEach(async () => {
  await store.close();
  rmSync(data, { recursive: true, force: true });
});

function begin(append: Writer["append"] = (acts, now) => store.append(acts, now), batches: number[] = []): Bundle {
  const appender = new Appender({ append }, clock, { appended: (acts) => void batches.push(acts), failed: () => {} });
  const steps = postSteps({
    guard,
    store,
    clock,
    difficulty,
    append: appender.append,
    rates: new RateLimiter(clock, false),
    quota: { require: () => {}, add: () => {} },
    requireWritable: () => {},
    board: "ag_00000000000000000000",
    verifier: verifier({ clock, difficulty, signatures, requireNoSecret: () => {}, guard }),
  });
  return bundles(steps, difficulty)({ dryRun: false });
}

const note = (body: string) => agent.envelope({ kind: "note", body });

/** With exactly this many bits. */
function withBits(bits: number): Envelope {
  for (let n = 0; ; n++) {
    const envelope = agent.seal(note(`${n}`).payload, undefined, bits);
    if (workBits(messageId(envelope.payload), envelope.nonce) === bits) return envelope;
  }
}

test("no message is acknowledged before the transaction that holds it is done", async () => {
  const events: string[] = [];
  const bundle = begin(async (acts, now) => {
    const appended = await store.append(acts, now);
    events.push("on disk");
    return appended;
  });
  for (const body of ["a", "b", "c"]) (await bundle.add(note(body))).posted.then(() => events.push(body), events.push);
  expect(events).toEqual([]);
  await bundle.flush();
  await new Promise(setImmediate);
  expect(events).toEqual(["on disk", "a", "b", "c"]);
});

test("if the storage fails, no post of the transaction is acknowledged, and each may be sent again", async () => {
  let full = true;
  const bundle = begin(async (acts, now) => {
    if (full) throw new StoreFailure("storage_full", "no room");
    return store.append(acts, now);
  });
  const first = [await bundle.add(note("a")), await bundle.add(note("b"))];
  const settled = Promise.allSettled(first.map(({ posted }) => posted));
  await bundle.flush();
  for (const one of await settled) expect(one).toMatchObject({ status: "rejected", reason: { code: "storage_full" } });
  full = false;
  const again = await bundle.add(note("a"));
  await bundle.flush();
  expect((await again.posted).result).toBe("created");
});

test("the work is judged by the difficulty at the start of the bundle, even if it has risen since", async () => {
  const bundle = begin();
  const envelope = withBits(TEST_BITS);
  for (let minute = 0; minute < 20; minute++) {
    difficulty.accepted(TEST_BITS + 4, 100);
    clock.advance(60_000);
  }
  expect(difficulty.honoured).toBeGreaterThan(TEST_BITS);
  const late = begin();
  const { posted: refused } = await late.add(envelope);
  const settled = Promise.allSettled([refused]);
  await late.flush();
  expect(await settled).toMatchObject([{ status: "rejected", reason: { code: "pow_insufficient" } }]);
  const { posted } = await bundle.add(envelope);
  await bundle.flush();
  expect(await posted).toMatchObject({ result: "created", tokens: 1 });
});

test("as many as possible share a transaction: only what has to see others on the board waits for them", async () => {
  const batches: number[] = [];
  const bundle = begin(undefined, batches);
  const same = note("same");
  const posted = [];
  for (const envelope of [note("a"), same, note("b"), same, note("c"), note("d")]) posted.push((await bundle.add(envelope)).posted);
  await bundle.flush();
  expect((await Promise.all(posted)).map(({ result }) => result)).toEqual([
    "created",
    "created",
    "created",
    "exists",
    "created",
    "created",
  ]);
  expect(batches).toEqual([3, 2]);
  expect((await store.findAll([messageId(same.payload)], clock.now())).size).toBe(1);
});

test("what cannot be read is refused at once, and those before and after it go on", async () => {
  const bundle = begin();
  const before = await bundle.add(note("a"));
  await expect(bundle.add({ ...note("b"), payload: "{" })).rejects.toBeInstanceOf(Refusal);
  const after = await bundle.add(note("c"));
  await bundle.flush();
  expect((await Promise.all([before.posted, after.posted])).map(({ result }) => result)).toEqual(["created", "created"]);
});
