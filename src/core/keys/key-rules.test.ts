// Races for a key, by the log alone; and that nobody without the right key ever comes to anything.
import { assert, asyncProperty } from "fast-check";
import { describe, expect, test } from "vitest";
import { RACES } from "../../../test/support/key-races.ts";
import { attack, attacks, STRANGERS } from "../../../test/support/key-attacks.ts";
import { hashOf, LogStage } from "../../../test/support/key-stage.ts";
import { KeyBook } from "./replay-key-operations.ts";

describe("races, by the log alone", () => {
  test.each(RACES)("$name", async ({ run, expected }) => {
    const stage = new LogStage();
    expect(await run(stage)).toEqual(expected(undefined as never));
    // The same entries once more come to the same.
    const again = new KeyBook();
    for (const entry of stage.entries) expect(again.read(entry)).toBeUndefined();
    again.advance(stage.now());
    expect([...again.lines]).toEqual([...stage.book.lines]);
  });

  test("a restored backup forgets revocations: the log up to then has the key alive", async () => {
    const stage = new LogStage();
    const [key, next] = [stage.agent(), stage.agent()];
    await stage.act(key, key, { op: "commit", next: hashOf(next) });
    await stage.act(key, key, { op: "revoke", from: Math.floor(stage.now() / 1000) });
    expect(await stage.post(key)).toBe("key_revoked");
    const restored = new KeyBook();
    restored.read(stage.entries[0]!);
    expect(restored.key(key.id)?.endedAt).toBeNull();
  });
});

test("no sequence of operations by anyone without the right key moves the owner's agent", async () => {
  await assert(
    asyncProperty(attacks(30, [0, 0, 1, 71, 72, 100]), async (steps) => {
      const stage = new LogStage();
      const [owner, next, recovery] = [stage.agent(), stage.agent(), stage.agent()];
      const strangers = Array.from({ length: STRANGERS }, () => stage.agent());
      await stage.act(owner, owner, { op: "commit", next: hashOf(next), recovery: hashOf(recovery) });
      await attack(stage, owner, strangers, steps);
      expect(await stage.holder(owner)).toBe(owner.id);
      expect(await stage.pending(owner)).toBeNull();
      expect(await stage.post(owner)).toBe("ok");
      expect(strangers.filter(({ id }) => stage.book.key(id)?.principal === owner.id)).toEqual([]);
      expect(await stage.act(next, owner, { op: "rotate" })).toBe("counted");
    }),
    { numRuns: 150 },
  );
});
