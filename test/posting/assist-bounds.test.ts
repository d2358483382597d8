// The limits of the assisted path: how many callers are mined for, how long, and what the operator allows.
import { describe, expect, test } from "vitest";
import { Agent, TEST_BITS } from "../support/agent.ts";
import { alias, ask, ENDLESS, expectPrivate, keygen, post } from "../support/assist.ts";
import { type Answer, TestBoard } from "../support/board.ts";
import { eventually } from "../support/eventually.ts";
import { expectRefusal } from "../support/refusal.ts";

describe("mining has bounds", () => {
  const jobs = (busy: TestBoard, n: number) =>
    eventually(`${n} jobs`, async () =>
      (await busy.get<string>("/metrics")).body.includes(`blackboard_assist_jobs ${n}\n`) ? true : undefined,
    );
  const note = (n: number) =>
    JSON.stringify({ secret_key: Buffer.alloc(32, n + 1).toString("base64url"), message: { kind: "note", title: "x" } });
  const begin = (busy: TestBoard, n: number, signal: AbortSignal | null = null) =>
    busy.get("/api/assist/post", { method: "POST", headers: { "content-type": "application/json" }, body: note(n), signal });

  test("seventeen callers are served one after the other; the next learns when to come back, and a closing board releases all", async () => {
    await using busy = await TestBoard.start({ flags: ENDLESS });
    const pending = Array.from({ length: 17 }, (_, n) => begin(busy, n));
    await jobs(busy, 17);
    const refused = await begin(busy, 17);
    expectRefusal(refused, 503, "assist_busy");
    expectPrivate(refused);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    const refusedAlias = await alias(busy, Buffer.alloc(32, 20).toString("base64url"), "some-name");
    expectRefusal(refusedAlias, 503, "assist_busy");
    const [answers] = await Promise.all([Promise.all(pending), busy.stop()]);
    for (const answer of answers) {
      expectRefusal(answer, 503, "shutting_down");
      expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
    }
  });

  test("mining stops if the caller has left", async () => {
    await using busy = await TestBoard.start({ flags: ENDLESS });
    const leaving = new AbortController();
    const pending = Promise.allSettled(Array.from({ length: 5 }, (_, n) => begin(busy, n, leaving.signal)));
    await jobs(busy, 5);
    leaving.abort();
    await pending;
    await jobs(busy, 0);
  });
});

describe("operators", () => {
  test("can switch it off: all three say so before they take anything", async () => {
    await using off = await TestBoard.start({ flags: ["--assist", "off"] });
    for (const path of ["keygen", "post", "alias"]) {
      const answer = await ask(off, path, "not even json", { "content-type": "text/plain" });
      expectRefusal(answer, 403, "assist_disabled");
      expectPrivate(answer);
    }
    expect((await off.post(off.agent(), { kind: "note", title: "by own key" })).status).toBe(201);
  });

  test("of a read-only board hand out keys and nothing else", async () => {
    await using still = await TestBoard.start({ flags: ["--read-only", "on", ...ENDLESS] });
    const { secret_key: key } = await keygen(still);
    expectRefusal(await post(still, key, { kind: "note", title: "x" }), 503, "read_only");
    expectRefusal(await alias(still, key, "some-name"), 503, "read_only");
  });

  test("need not fear a flood: an address has ten keys, then one every two minutes, and sixty assisted calls, then one every five seconds; refused ones are free", async () => {
    await using limited = await TestBoard.start({ flags: ["--rate-limits", "on", "--pow-bits", String(TEST_BITS)] });
    const { secret_key: key } = await keygen(limited);
    for (let i = 0; i < 9; i++) await keygen(limited);
    const limitedAs = (answer: Answer<unknown>, scope: string, seconds: number) => {
      expect(expectRefusal(answer, 429, "rate_limited").details).toMatchObject({ scope, retry_after_s: seconds });
      expect(answer.headers.get("retry-after")).toBe(String(seconds));
      expectPrivate(answer);
    };
    limitedAs(await ask(limited, "keygen", "{}"), "keygens", 120);
    for (let i = 0; i < 80; i++) expectRefusal(await post(limited, key, {}), 400, "invalid_field");
    // With several keys, because each has its own rate limit.
    const keys = [key, ...Array.from({ length: 3 }, (_, n) => Buffer.alloc(32, n + 1).toString("base64url"))];
    for (let i = 0; i < 57; i++) expect((await post(limited, keys[i % 4]!, { kind: "note", title: `${i}` })).status).toBe(201);
    for (let i = 0; i < 3; i++) expect((await alias(limited, keys[i + 1]!, `name-${i}`)).status).toBe(201);
    limitedAs(await ask(limited, "post", "{}"), "assists", 5);
    // One after the other.
    limitedAs(await ask(limited, "alias", "{}"), "assists", 10);
    expect((await limited.post(limited.agent(), { kind: "note", title: "by own key" })).status).toBe(201);
    limited.clock.advance(120_000);
    await keygen(limited);
    expectRefusal(await ask(limited, "keygen", "{}"), 429, "rate_limited");
  });

  test("know that the key's own pace counts too, whichever way it posts", async () => {
    await using limited = await TestBoard.start({ flags: ["--rate-limits", "on", "--pow-bits", String(TEST_BITS)] });
    const seed = Buffer.alloc(32, 5);
    const own = new Agent(() => limited.clock.now(), seed);
    for (let i = 0; i < 20; i++) expect((await limited.post(own, { kind: "note", title: `${i}` })).status).toBe(201);
    const answer = await post(limited, seed.toString("base64url"), { kind: "note", title: "more" });
    expect(expectRefusal(answer, 429, "rate_limited").details).toMatchObject({ scope: "agent_writes" });
  });
});
