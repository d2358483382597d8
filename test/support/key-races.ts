// Races between thief and owner, each with its outcome. docs/keys.md has the same rows.
import type { Agent } from "./agent.ts";
import { hashOf, type Stage } from "./key-stage.ts";

export interface Race {
  readonly name: string;
  /** Returns the result of each step. */
  readonly run: (stage: Stage) => Promise<readonly unknown[]>;
  readonly expected: (keys: Cast) => readonly unknown[];
}

/** Both have the agent's key. The other keys are the owner's, except for the thief's own. */
interface Cast {
  readonly key: Agent;
  readonly next: Agent;
  readonly recovery: Agent;
  readonly later: Agent;
  readonly thief: Agent;
  readonly thief2: Agent;
}
type Script = (stage: Stage, cast: Cast) => AsyncGenerator;
type Expected = (cast: Cast) => readonly unknown[];

const race = (name: string, script: Script, expected: Expected): Race => {
  const casts = new WeakMap<Stage, Cast>();
  let last: Cast;
  return {
    name,
    async run(stage) {
      const [key, next, recovery, later, thief, thief2] = Array.from({ length: 6 }, () => stage.agent()) as [
        Agent,
        Agent,
        Agent,
        Agent,
        Agent,
        Agent,
      ];
      last = { key, next, recovery, later, thief, thief2 };
      casts.set(stage, last);
      const outcomes: unknown[] = [];
      for await (const outcome of script(stage, last)) outcomes.push(outcome);
      return outcomes;
    },
    expected: () => expected(last),
  };
};

/** An agent that has existed for a while, with a commitment from its first hour. */
async function* committed(stage: Stage, { key, next, recovery }: Cast, withRecovery = true) {
  const commitment = withRecovery ? { next: hashOf(next), recovery: hashOf(recovery) } : { next: hashOf(next) };
  yield await stage.act(key, key, { op: "commit", ...commitment });
  stage.hours(2);
  yield await stage.post(key);
}
/** An agent that never committed to anything. */
async function* uncommitted(stage: Stage, { key }: Cast) {
  yield await stage.post(key);
  stage.hours(2);
}

export const RACES: readonly Race[] = [
  race(
    "a key is lost: the committed next key takes over at once, without the old one",
    async function* (stage, cast) {
      yield* committed(stage, cast);
      yield await stage.act(cast.next, cast.key, { op: "rotate", next: hashOf(cast.later) });
      yield await stage.holder(cast.key);
      yield await stage.post(cast.key);
      yield await stage.post(cast.next);
    },
    ({ next }) => ["counted", "ok", "counted", next.id, "key_revoked", "ok"],
  ),
  race(
    "key and next key are lost: the recovery key takes over at once",
    async function* (stage, cast) {
      yield* committed(stage, cast);
      yield await stage.act(cast.recovery, cast.key, { op: "rotate", next: hashOf(cast.later) });
      yield await stage.holder(cast.key);
      yield await stage.act(cast.next, cast.key, { op: "rotate" });
    },
    ({ recovery }) => ["counted", "ok", "counted", recovery.id, "key_revoked"],
  ),
  race(
    "a thief with the key commits to a key of his own: it waits, and the owner's rotation ends it",
    async function* (stage, cast) {
      yield* committed(stage, cast);
      yield await stage.act(cast.key, cast.key, { op: "commit", next: hashOf(cast.thief), recovery: hashOf(cast.thief2) });
      stage.hours(71);
      yield await stage.act(cast.next, cast.key, { op: "rotate", next: hashOf(cast.later) });
      stage.hours(2);
      yield await stage.act(cast.thief, cast.next, { op: "rotate" });
      yield await stage.act(cast.thief2, cast.next, { op: "rotate" });
      yield await stage.holder(cast.key);
    },
    ({ next }) => ["counted", "ok", "pending", "counted", "key_committed_elsewhere", "key_committed_elsewhere", next.id],
  ),
  race(
    "a thief with the key commits to a key of his own, and nobody looks for 72 hours: the agent is his, but for the recovery key",
    async function* (stage, cast) {
      yield* committed(stage, cast);
      yield await stage.act(cast.key, cast.key, { op: "commit", next: hashOf(cast.thief) });
      stage.hours(72);
      yield await stage.act(cast.next, cast.key, { op: "rotate" });
      yield await stage.act(cast.thief, cast.key, { op: "rotate" });
      yield await stage.act(cast.recovery, cast.key, { op: "rotate", next: hashOf(cast.later) });
      yield await stage.holder(cast.key);
      yield await stage.post(cast.thief);
    },
    ({ recovery }) => ["counted", "ok", "pending", "key_committed_elsewhere", "counted", "counted", recovery.id, "key_revoked"],
  ),
  race(
    "a thief with the key commits to a key and a recovery key of his own, and nobody looks for 72 hours: the agent is his",
    async function* (stage, cast) {
      yield* committed(stage, cast);
      yield await stage.act(cast.key, cast.key, { op: "commit", next: hashOf(cast.thief), recovery: hashOf(cast.thief2) });
      stage.hours(72);
      yield await stage.act(cast.next, cast.key, { op: "rotate" });
      yield await stage.act(cast.recovery, cast.key, { op: "rotate" });
      yield await stage.act(cast.thief, cast.key, { op: "rotate" });
      yield await stage.holder(cast.key);
    },
    ({ thief }) => ["counted", "ok", "pending", "key_committed_elsewhere", "key_committed_elsewhere", "counted", thief.id],
  ),
  race(
    "a thief with the key rotates to a key of his own: a commitment keeps him out",
    async function* (stage, cast) {
      yield* committed(stage, cast, false);
      yield await stage.act(cast.thief, cast.key, { op: "rotate" }, { old: cast.key });
      yield await stage.holder(cast.key);
    },
    ({ key }) => ["counted", "ok", "key_committed_elsewhere", key.id],
  ),
  race(
    "a thief with the key revokes it: the owner rotates all the same",
    async function* (stage, cast) {
      yield* committed(stage, cast, false);
      yield await stage.act(cast.key, cast.key, { op: "revoke", from: Math.floor(stage.now() / 1000) });
      yield await stage.holder(cast.key);
      yield await stage.act(cast.next, cast.key, { op: "rotate" });
      yield await stage.holder(cast.key);
    },
    ({ next }) => ["counted", "ok", "counted", null, "counted", next.id],
  ),
  race(
    "no commitment, the thief commits first: the owner vetoes it",
    async function* (stage, cast) {
      yield* uncommitted(stage, cast);
      yield await stage.act(cast.key, cast.key, { op: "commit", next: hashOf(cast.thief) });
      yield await stage.act(cast.key, cast.key, { op: "veto", of: (await stage.pending(cast.key)) ?? "" });
      stage.hours(73);
      yield await stage.act(cast.thief, cast.key, { op: "rotate" });
    },
    () => ["ok", "pending", "counted", "not_owner"],
  ),
  race(
    "no commitment, both hold the key: each vetoes the other, and only a revocation ends it, for both",
    async function* (stage, cast) {
      yield* uncommitted(stage, cast);
      yield await stage.act(cast.thief, cast.key, { op: "rotate" }, { old: cast.key });
      yield await stage.act(cast.key, cast.key, { op: "veto", of: (await stage.pending(cast.key)) ?? "" });
      yield await stage.act(cast.later, cast.key, { op: "rotate" }, { old: cast.key });
      yield await stage.act(cast.key, cast.key, { op: "veto", of: (await stage.pending(cast.key)) ?? "" });
      yield await stage.act(cast.thief, cast.key, { op: "rotate" }, { old: cast.key });
      yield await stage.act(cast.key, cast.key, { op: "revoke", from: Math.floor(stage.now() / 1000) });
      stage.hours(73);
      yield await stage.holder(cast.key);
      yield await stage.act(cast.later, cast.key, { op: "rotate" }, { old: cast.key });
      yield await stage.act(cast.key, cast.key, { op: "commit", next: hashOf(cast.later) });
    },
    () => ["ok", "pending", "counted", "pending", "counted", "pending", "counted", null, "key_revoked", "key_revoked"],
  ),
  race(
    "no commitment, and nobody looks for 72 hours: the thief's rotation counts",
    async function* (stage, cast) {
      yield* uncommitted(stage, cast);
      yield await stage.act(cast.thief, cast.key, { op: "rotate" }, { old: cast.key });
      stage.hours(71);
      yield await stage.post(cast.key);
      stage.hours(1);
      yield await stage.post(cast.key);
      yield await stage.holder(cast.key);
    },
    ({ thief }) => ["ok", "pending", "ok", "key_revoked", thief.id],
  ),
  race(
    "no commitment, and the owner rotates with both keys: the recovery key that the rotation names counts with it",
    async function* (stage, cast) {
      yield* uncommitted(stage, cast);
      const named = { next: hashOf(cast.later), recovery: hashOf(cast.recovery) };
      yield await stage.act(cast.next, cast.key, { op: "rotate", ...named }, { old: cast.key });
      yield await stage.act(cast.recovery, cast.key, { op: "rotate" });
      stage.hours(72);
      yield await stage.holder(cast.key);
      yield await stage.act(cast.recovery, cast.next, { op: "rotate" });
      yield await stage.holder(cast.key);
    },
    ({ next, recovery }) => ["ok", "pending", "not_owner", next.id, "counted", recovery.id],
  ),
  race(
    "the 72 hours run while the board is down, and what waited counts before anything else",
    async function* (stage, cast) {
      yield* uncommitted(stage, cast);
      yield await stage.act(cast.key, cast.key, { op: "commit", next: hashOf(cast.next) });
      stage.hours(500);
      yield await stage.act(cast.key, cast.key, { op: "veto", of: "0".repeat(64) });
      yield await stage.act(cast.next, cast.key, { op: "rotate" });
      yield await stage.holder(cast.key);
    },
    ({ next }) => ["ok", "pending", "not_pending", "counted", next.id],
  ),
  race(
    "a thief has the next key and rotates: within 72 hours the recovery key rotates the same agent once more",
    async function* (stage, cast) {
      yield* committed(stage, cast);
      // The thief has the next key now.
      yield await stage.act(cast.next, cast.key, { op: "rotate", next: hashOf(cast.thief), recovery: hashOf(cast.thief2) });
      yield await stage.act(cast.thief, cast.next, { op: "rotate", next: hashOf(cast.thief2) });
      stage.hours(70);
      yield await stage.act(cast.recovery, cast.key, { op: "rotate", next: hashOf(cast.later) });
      yield await stage.holder(cast.key);
      yield await stage.post(cast.thief);
      yield await stage.post(cast.next);
      yield await stage.act(cast.thief2, cast.recovery, { op: "rotate" });
    },
    ({ recovery }) => [
      "counted",
      "ok",
      "counted",
      "counted",
      "counted",
      recovery.id,
      "key_revoked",
      "key_revoked",
      "key_committed_elsewhere",
    ],
  ),
  race(
    "a thief has the next key, rotates and replaces the recovery key: after 72 hours the agent is his",
    async function* (stage, cast) {
      yield* committed(stage, cast);
      yield await stage.act(cast.next, cast.key, { op: "rotate", next: hashOf(cast.thief), recovery: hashOf(cast.thief2) });
      stage.hours(72);
      yield await stage.act(cast.recovery, cast.key, { op: "rotate" });
      yield await stage.act(cast.recovery, cast.next, { op: "rotate" });
      yield await stage.holder(cast.key);
    },
    ({ next }) => ["counted", "ok", "counted", "key_revoked", "key_committed_elsewhere", next.id],
  ),
  race(
    "a thief has the recovery key: its holder controls the agent",
    async function* (stage, cast) {
      yield* committed(stage, cast);
      yield await stage.act(cast.recovery, cast.key, { op: "rotate", next: hashOf(cast.thief) });
      yield await stage.post(cast.key);
      yield await stage.act(cast.next, cast.key, { op: "rotate" });
      yield await stage.act(cast.next, cast.recovery, { op: "rotate" });
      yield await stage.holder(cast.key);
    },
    ({ recovery }) => ["counted", "ok", "counted", "key_revoked", "key_revoked", "key_committed_elsewhere", recovery.id],
  ),
  race(
    "a newer operation of the same rank takes the place of one that waits, and the 72 hours start again",
    async function* (stage, cast) {
      yield* uncommitted(stage, cast);
      yield await stage.act(cast.key, cast.key, { op: "commit", next: hashOf(cast.thief) });
      stage.hours(71);
      yield await stage.act(cast.key, cast.key, { op: "commit", next: hashOf(cast.next) });
      stage.hours(71);
      yield await stage.act(cast.thief, cast.key, { op: "rotate" });
      stage.hours(1);
      yield await stage.act(cast.thief, cast.key, { op: "rotate" });
      yield await stage.act(cast.next, cast.key, { op: "rotate" });
    },
    () => ["ok", "pending", "pending", "not_owner", "key_committed_elsewhere", "counted"],
  ),
  race(
    "a lower rank does not replace what waits of a higher one, but its holder can veto it",
    async function* (stage, cast) {
      yield* committed(stage, cast);
      yield await stage.act(cast.next, cast.key, { op: "rotate", next: hashOf(cast.later), recovery: hashOf(cast.thief) });
      yield await stage.act(cast.next, cast.next, { op: "commit", next: hashOf(cast.thief2) });
      yield await stage.act(cast.recovery, cast.next, { op: "veto", of: (await stage.pending(cast.next)) ?? "" });
      stage.hours(80);
      yield await stage.act(cast.recovery, cast.next, { op: "rotate" });
      yield await stage.holder(cast.key);
    },
    ({ recovery }) => ["counted", "ok", "counted", "key_op_pending", "counted", "counted", recovery.id],
  ),
  race(
    "a thief with the key makes a child: it dies with the key",
    async function* (stage, cast) {
      yield* committed(stage, cast);
      const until = Math.floor(stage.now() / 1000) + 86_400;
      yield await stage.act(cast.key, cast.key, { op: "delegate", child: cast.thief.pk, until }, { child: cast.thief });
      yield await stage.post(cast.thief);
      yield await stage.act(cast.thief, cast.key, { op: "rotate" }, { old: cast.key });
      yield await stage.act(cast.thief, cast.thief, { op: "commit", next: hashOf(cast.thief2) });
      yield await stage.act(cast.next, cast.key, { op: "rotate", next: hashOf(cast.later) });
      yield await stage.post(cast.thief);
    },
    () => ["counted", "ok", "counted", "ok", "outside_delegation", "outside_delegation", "counted", "key_revoked"],
  ),
  race(
    "a key that has acted here for itself, or for another agent, succeeds nobody and is nobody's child",
    async function* (stage, cast) {
      yield* committed(stage, cast);
      const until = Math.floor(stage.now() / 1000) + 86_400;
      yield await stage.post(cast.later);
      yield await stage.act(cast.key, cast.key, { op: "delegate", child: cast.later.pk, until }, { child: cast.later });
      yield await stage.post(cast.next);
      yield await stage.act(cast.next, cast.key, { op: "rotate" });
      yield await stage.act(cast.thief, cast.later, { op: "rotate" }, { old: cast.later });
      yield await stage.post(cast.thief);
      yield await stage.act(cast.key, cast.key, { op: "delegate", child: cast.thief.pk, until }, { child: cast.thief });
    },
    () => ["counted", "ok", "ok", "key_in_use", "ok", "key_in_use", "pending", "key_in_use", "key_in_use"],
  ),
  race(
    "a stranger without any of the keys comes to nothing",
    async function* (stage, cast) {
      yield* committed(stage, cast);
      const now = Math.floor(stage.now() / 1000);
      yield await stage.act(cast.thief, cast.key, { op: "rotate" });
      yield await stage.act(cast.thief, cast.key, { op: "commit", next: hashOf(cast.thief2) });
      yield await stage.act(cast.thief, cast.key, { op: "revoke", from: now });
      yield await stage.act(cast.thief, cast.key, { op: "delegate", child: cast.thief2.pk, until: now + 9999 }, { child: cast.thief2 });
      yield await stage.act(cast.thief, cast.key, { op: "veto", of: "1".repeat(64) });
      yield await stage.holder(cast.key);
    },
    ({ key }) => ["counted", "ok", "key_committed_elsewhere", "not_owner", "not_owner", "not_owner", "not_owner", key.id],
  ),
];
