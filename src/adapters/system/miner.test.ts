import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Refusal } from "../../core/errors.ts";
import { workBits } from "../../core/protocol/proof-of-work.ts";
import type { Miner } from "../../ports/miner.ts";
import { minerThread } from "./miner.ts";

const ENDLESS = 60;
const id = (n: number): string => n.toString(16).padStart(64, "0");
const staying = (): AbortSignal => new AbortController().signal;
const code = (promise: Promise<string>): Promise<string> =>
  promise.then(
    () => "mined",
    (error: unknown) => (error instanceof Refusal ? error.code : String(error)),
  );

let mining: Miner;
beforeEach(() => void (mining = minerThread()));
afterEach(() => mining.close());

describe("mining for others", () => {
  test("callers get nonces that prove the work asked for, each for its own message", async () => {
    const nonces = await Promise.all([1, 2, 3, 4, 5].map((n) => mining.mine(id(n), 8 + n, staying())));
    for (const [i, nonce] of nonces.entries()) expect(workBits(id(i + 1), nonce)).toBeGreaterThanOrEqual(9 + i);
    expect(mining.jobs).toBe(0);
  });

  test("a full queue refuses at once, so that nobody waits for nothing", async () => {
    const pending = Array.from({ length: 17 }, (_, n) => code(mining.mine(id(n), ENDLESS, staying())));
    expect(mining.jobs).toBe(17);
    expect(await code(mining.mine(id(99), 0, staying()))).toBe("assist_busy");
    await mining.close();
    expect(new Set(await Promise.all(pending))).toEqual(new Set(["shutting_down"]));
  });

  test("a caller who goes away frees its place for the next one, whether its turn had come or not", async () => {
    const leaving = new AbortController();
    const [current, waiting] = [1, 2].map((n) => code(mining.mine(id(n), ENDLESS, leaving.signal)));
    const next = mining.mine(id(3), 8, staying());
    leaving.abort();
    expect([await current, await waiting]).toEqual(["assist_busy", "assist_busy"]);
    expect(workBits(id(3), await next)).toBeGreaterThanOrEqual(8);
    expect(await code(mining.mine(id(4), 0, leaving.signal))).toBe("assist_busy");
    expect(mining.jobs).toBe(0);
  });

  test("after the end nothing is begun", async () => {
    await mining.mine(id(1), 1, staying());
    await mining.close();
    expect(await code(mining.mine(id(2), 1, staying()))).toBe("shutting_down");
  });
});
