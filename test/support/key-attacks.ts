// An attacker without any of an agent's keys who tries every key operation on it, in any order.
import { type Arbitrary, array, constantFrom, nat, record } from "fast-check";
import type { Agent } from "./agent.ts";
import { hashOf, type KeyAct, type Stage } from "./key-stage.ts";

export interface Attack {
  readonly signer: number;
  readonly about: number;
  readonly op: "commit" | "rotate" | "revoke" | "delegate" | "undelegate" | "veto";
  readonly other: number;
  readonly old: number;
  readonly hours: number;
}
export const STRANGERS = 4;

/** `hours` are the possible waits between two attempts. */
export const attacks = (maxLength: number, hours: readonly number[]): Arbitrary<Attack[]> =>
  array(
    record({
      signer: nat(STRANGERS - 1),
      about: nat(STRANGERS),
      op: constantFrom("commit", "rotate", "revoke", "delegate", "undelegate", "veto"),
      other: nat(STRANGERS - 1),
      old: nat(STRANGERS),
      hours: constantFrom(...hours),
    }),
    { maxLength },
  );

/** The owner's keys never sign. */
export async function attack(stage: Stage, owner: Agent, strangers: readonly Agent[], steps: readonly Attack[]): Promise<void> {
  const agents = [owner, ...strangers];
  for (const { signer, about, op, other, old, hours } of steps) {
    stage.hours(hours);
    const now = Math.floor(stage.now() / 1000);
    const [by, child, named] = [strangers[signer]!, strangers[other]!, agents[about]!];
    const acts: Readonly<Record<Attack["op"], KeyAct>> = {
      commit: { op: "commit", next: hashOf(child), recovery: hashOf(by) },
      rotate: { op: "rotate", next: hashOf(child) },
      revoke: { op: "revoke", from: now },
      delegate: { op: "delegate", child: child.pk, until: now + 3600 },
      undelegate: { op: "undelegate", child: child.pk },
      veto: { op: "veto", of: (await stage.pending(named)) ?? "0".repeat(64) },
    };
    // Attackers sign as the old key only with keys that they have.
    const more = named === owner || old === 0 ? {} : { old: named };
    await stage.act(by, named, acts[op], op === "delegate" ? { child } : more);
    if (old === 3) await stage.post(by);
  }
}
