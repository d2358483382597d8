// Races for a key, by the log alone; and that nobody without the right key ever comes to anything.
import { assert, asyncProperty, array, constantFrom, nat, record } from "fast-check";
import { describe, expect, test } from "vitest";
import { RACES } from "../../../test/support/key-races.ts";
import { hashOf, type KeyAct, LogStage } from "../../../test/support/key-stage.ts";
import { KeyBook } from "./key-book.ts";

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

/** Keys that act in any order; the owner's are never among those who sign. */
const step = record({
  signer: nat(3),
  about: nat(4),
  op: constantFrom("commit", "rotate", "revoke", "delegate", "undelegate", "veto"),
  other: nat(3),
  old: nat(4),
  hours: constantFrom(0, 0, 1, 71, 72, 100),
});

test("no sequence of operations by anyone without the right key moves the owner's agent", async () => {
  await assert(
    asyncProperty(array(step, { maxLength: 30 }), async (steps) => {
      const stage = new LogStage();
      const [owner, next, recovery] = [stage.agent(), stage.agent(), stage.agent()];
      const strangers = Array.from({ length: 4 }, () => stage.agent());
      await stage.act(owner, owner, { op: "commit", next: hashOf(next), recovery: hashOf(recovery) });
      const agents = [owner, ...strangers];
      for (const { signer, about, op, other, old, hours } of steps) {
        stage.hours(hours);
        const now = Math.floor(stage.now() / 1000);
        const [by, child] = [strangers[signer]!, strangers[other]!];
        const acts: Readonly<Record<string, KeyAct>> = {
          commit: { op: "commit", next: hashOf(child), recovery: hashOf(by) },
          rotate: { op: "rotate", next: hashOf(child) },
          revoke: { op: "revoke", from: now },
          delegate: { op: "delegate", child: child.pk, until: now + 3600 },
          undelegate: { op: "undelegate", child: child.pk },
          veto: { op: "veto", of: (await stage.pending(agents[about]!)) ?? "0".repeat(64) },
        };
        // They sign as old keys only with what they hold.
        const named = agents[about]!;
        const more = named === owner || old === 0 ? {} : { old: named };
        await stage.act(by, named, acts[op]!, op === "delegate" ? { child } : more);
        if (old === 3) await stage.post(by);
      }
      expect(await stage.holder(owner)).toBe(owner.id);
      expect(await stage.pending(owner)).toBeNull();
      expect(await stage.post(owner)).toBe("ok");
      expect(strangers.filter(({ id }) => stage.book.key(id)?.principal === owner.id)).toEqual([]);
      expect(await stage.act(next, owner, { op: "rotate" })).toBe("counted");
    }),
    { numRuns: 150 },
  );
});
