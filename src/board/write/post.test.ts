import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import { Agent, TEST_BITS } from "../../../test/support/agent.ts";
import { admitted, arrivalOf, postAct } from "../../../test/support/bare-board.ts";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import { openSqliteStore } from "../../adapters/sqlite/store.ts";
import { signaturePool } from "../../adapters/system/signature-pool.ts";
import { readRiskTable } from "../../core/guard/risk/scorer.ts";
import { WITHDRAWN_PER_BATCH } from "../../core/message/sweep.ts";
import type { Envelope } from "../../core/protocol/envelope.ts";
import { messageId } from "../../core/protocol/message-and-agent-ids.ts";
import { recordOf } from "../../core/view/record.ts";
import type { Store } from "../../ports/store.ts";
import { Appender } from "./append.ts";
import { Difficulty } from "./difficulty.ts";
import { type Post, poster, postSteps } from "./post.ts";
import { RateLimiter } from "../limits/rate.ts";
import { TextGuard } from "./text-guard.ts";
import { verifier } from "./verify.ts";

const LATE = 100;
const clock = new ManualClock();
const signatures = signaturePool(1);
let data: string;
let store: Store;
let post: Post;
let agent: Agent;
let notes: readonly string[];
let retraction: Envelope;
let guard: TextGuard;
let rates: RateLimiter;
/** A board without its sweeper, so that nothing ends but what a post ends; and an agent with more messages than one step ends. */
beforeEach(async () => {
  data = mkdtempSync(join(tmpdir(), "post-"));
  store = await openSqliteStore(data, () => {});
  const difficulty = new Difficulty(clock, TEST_BITS, TEST_BITS);
  const { append } = new Appender(store, clock, { appended: () => {}, failed: () => {} });
  guard = new TextGuard(readRiskTable(readFileSync(new URL("../../../models/guard.bin", import.meta.url))), clock);
  rates = new RateLimiter(clock, true);
  const parts = {
    guard,
    store,
    clock,
    difficulty,
    append,
    rates,
    quota: { require: () => {}, add: () => {} },
    requireWritable: () => {},
    board: "ag_00000000000000000000",
  };
  post = poster(postSteps({ ...parts, verifier: verifier({ clock, difficulty, signatures, requireNoSecret: () => {}, guard }) }));
  agent = new Agent(() => clock.now());
  notes = Array.from({ length: WITHDRAWN_PER_BATCH + LATE }, (_, i) =>
    JSON.stringify({ v: 1, pk: agent.pk, ts: 1, kind: "note", body: `${i}` }),
  );
  await store.append(
    notes.map((text) => postAct(text)),
    clock.now(),
  );
  retraction = agent.envelope({ kind: "retraction", data: { scope: "all", board: "ag_00000000000000000000" } });
});
afterEach(async () => {
  await store.close();
  rmSync(data, { recursive: true, force: true });
});

afterAll(() => signatures.close());

const state = async () => [...(await store.findAll(notes.map(messageId), clock.now())).values()].filter((one) => "stored" in one).length;

test("the answer to a new message is written from what was parsed already, not from its text again", async () => {
  const { stored } = await post(agent.envelope({ kind: "note", title: "once", body: "x".repeat(30_000) }), {});
  const unreadable = { ...stored, raw: { ...stored.raw, payload: "not JSON" } };
  const { meta, content } = recordOf(unreadable, new Set(["body"]), clock.now(), "");
  expect([meta.title, content.chars]).toEqual(["once", 30_000]);
});

test("an agent that withdraws everything is answered when all of it has ended", async () => {
  expect((await post(retraction, {})).result).toBe("created");
  expect(await state()).toBe(0);
});

test("an agent that asks again after a crash in the middle is also answered when the rest has ended", async () => {
  const { payload, sig, nonce } = retraction;
  await store.append(
    [{ type: "post", arrival: admitted({ ...arrivalOf(payload), raw: { payload, sig, nonce } }), dryRun: false }],
    clock.now(),
  );
  expect(await state()).toBe(LATE);
  expect((await post(retraction, {})).result).toBe("exists");
  expect(await state()).toBe(0);
});

test("a dry run of it ends nothing", async () => {
  expect((await post(retraction, { dryRun: true })).result).toBe("valid");
  expect(await state()).toBe(notes.length);
});

test("a text for which its author has no bytes left was not posted, so it is nobody's copy", async () => {
  const body = "A text that is long enough to be copied by others, and that one of them could not post because he had posted too much.";
  const { id } = agent;
  rates.takeBytes("agent_bytes", id, 2 * 1024 * 1024);
  await expect(post(agent.envelope({ kind: "note", body }), {})).rejects.toMatchObject({ code: "rate_limited" });
  const other = new Agent(() => clock.now());
  const { stored } = await post(other.envelope({ kind: "note", body }), {});
  expect(stored.state.copies).toBe(0);
  clock.advance(60_000);
  await post(agent.envelope({ kind: "note", body }), {});
  const third = new Agent(() => clock.now());
  expect((await post(third.envelope({ kind: "note", body }), {})).stored.state.copies).toBe(2);
});
