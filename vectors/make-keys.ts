// keys.json: what agents did with their keys, as logs; who holds each agent in the end, and histories that no board could have accepted.
import { keyEnvelopeText } from "../src/core/protocol/key-op.ts";
import { sha256Hex } from "../src/core/protocol/node-sha256.ts";
import { fromBase64url } from "../src/core/protocol/encoding.ts";
import { ALICE, BOARD, BOB, keyNamed, NOW, payloadText, REQUIRED_BITS, seal, type VectorKey } from "./keys.ts";
import { type Act, chained, checkpoint, create } from "./make-chain.ts";

const [NEXT, LATER, RECOVERY, THIEF, CHILD] = ["next", "later", "recovery", "thief", "child"].map(keyNamed) as [
  VectorKey,
  VectorKey,
  VectorKey,
  VectorKey,
  VectorKey,
];
const HOUR = 3600;
const hashOf = ({ pk }: VectorKey): string => sha256Hex(fromBase64url(pk));

interface Others {
  readonly old?: VectorKey;
  readonly child?: VectorKey;
  /** Signs in place of the child. */
  readonly forged?: VectorKey;
}

/** A log as it is written: an act every minute, or after a while. */
class Story {
  readonly acts: Act[] = [];
  #at = NOW;

  hours(count: number): this {
    this.#at += count * HOUR;
    return this;
  }
  get now(): number {
    return this.#at;
  }
  #add(act: Act): this {
    this.acts.push({ ...act, at: this.#at * 1000 });
    return this;
  }
  post(key: VectorKey, fields: object = {}): this {
    this.#at += 60;
    return this.#add(create(seal(key, payloadText(key, { ts: this.#at, kind: "note", body: `At ${this.#at}`, ...fields }))));
  }
  ack(key: VectorKey): this {
    this.#at += 60;
    const envelope = seal(key, payloadText(key, { ts: this.#at, board: BOARD.agent, op: "ack", seen: this.acts.length }), 2);
    return this.#add({ type: "ack", id: key.agent, detail: JSON.stringify(envelope) });
  }
  key(signer: VectorKey, about: VectorKey, op: string, fields: object, { old, child, forged = child }: Others = {}): this {
    this.#at += 60;
    const payload = payloadText(signer, { ts: this.#at, board: BOARD.agent, agent: about.agent, op, ...fields });
    const envelope = {
      ...seal(signer, payload, REQUIRED_BITS + 3),
      ...(old === undefined ? {} : { old_sig: old.sign(payload) }),
      ...(forged === undefined ? {} : { child_sig: forged.sign(payload) }),
    };
    return this.#add({ type: `key_${op}` as Act["type"], id: about.agent, detail: keyEnvelopeText(envelope) });
  }
  commit(key: VectorKey, next: VectorKey, recovery?: VectorKey): this {
    return this.key(key, key, "commit", { next: hashOf(next), ...(recovery === undefined ? {} : { recovery: hashOf(recovery) }) });
  }
  delegate(parent: VectorKey, child: VectorKey, limits: object = {}, others: Others = {}): this {
    return this.key(parent, parent, "delegate", { child: child.pk, until: this.#at + 24 * HOUR, ...limits }, { child, ...others });
  }
  /** The id of the operation that came last. */
  get last(): string {
    return sha256Hex((JSON.parse(this.acts.at(-1)?.detail ?? "{}") as { payload: string }).payload);
  }
  effect(of: string, about: VectorKey): this {
    this.#at += 60;
    return this.#add({ type: "key_effect", id: about.agent, detail: JSON.stringify({ of }) });
  }
}

/** `holders`: who acts for each agent in the end; null where nobody does. */
function good(name: string, story: Story, holders: readonly (readonly [VectorKey, VectorKey | null])[]) {
  const entries = chained(story.acts);
  const told = Object.fromEntries(holders.map(([agent, holder]) => [agent.agent, holder?.agent ?? null]));
  return { name, entries, checkpoint: checkpoint(entries), holders: told };
}

/** `seq` of the entry at which a reader stops, and what is wrong with it. */
function bad(name: string, story: Story, what: "keys" | "signature" | "id" = "keys", seq = story.acts.length) {
  const entries = chained(story.acts);
  return { name, fault: { seq, what }, entries, checkpoint: checkpoint(entries) };
}

function waited(): Story {
  const story = new Story().post(ALICE).hours(2).commit(ALICE, NEXT);
  return story.hours(72).effect(story.last, ALICE);
}

function vetoed(): Story {
  const story = new Story().post(ALICE).hours(2).key(THIEF, ALICE, "rotate", {}, { old: ALICE });
  return story.key(ALICE, ALICE, "veto", { of: story.last });
}

const logs = () => [
  good(
    "the key was stolen, and the next one takes over",
    new Story()
      .commit(ALICE, NEXT)
      .post(ALICE)
      .key(NEXT, ALICE, "rotate", { next: hashOf(LATER), from: NOW })
      .post(NEXT),
    [
      [ALICE, NEXT],
      [NEXT, NEXT],
    ],
  ),
  good("a commitment of an older key waits 72 hours", waited().key(NEXT, ALICE, "rotate", {}).post(NEXT), [[ALICE, NEXT]]),
  good(
    "without a commitment both keys sign, and it takes 72 hours",
    (() => {
      const story = new Story().post(ALICE).key(NEXT, ALICE, "rotate", {}, { old: ALICE }).post(ALICE);
      return story.hours(72).post(NEXT);
    })(),
    [[ALICE, NEXT]],
  ),
  good(
    "a recovery key that such a rotation names counts with it",
    (() => {
      const named = { next: hashOf(LATER), recovery: hashOf(RECOVERY) };
      const story = new Story().post(ALICE).key(NEXT, ALICE, "rotate", named, { old: ALICE });
      return story.hours(72).effect(story.last, ALICE).post(NEXT).key(RECOVERY, NEXT, "rotate", {}).post(RECOVERY);
    })(),
    [
      [ALICE, RECOVERY],
      [NEXT, RECOVERY],
    ],
  ),
  good("a veto stops it, and the key goes on", vetoed().hours(80).post(ALICE), [[ALICE, ALICE]]),
  good(
    "the recovery key takes back what the next key took",
    new Story()
      .commit(ALICE, THIEF, RECOVERY)
      .key(THIEF, ALICE, "rotate", { next: hashOf(LATER) })
      .post(THIEF)
      .hours(71)
      .key(RECOVERY, ALICE, "rotate", { next: hashOf(NEXT) })
      .post(RECOVERY),
    [
      [ALICE, RECOVERY],
      [THIEF, RECOVERY],
    ],
  ),
  good(
    "a revoked key signs nothing; the committed one takes over all the same",
    new Story().commit(ALICE, NEXT).key(ALICE, ALICE, "revoke", { from: NOW }).hours(100).key(NEXT, ALICE, "rotate", {}).post(NEXT),
    [[ALICE, NEXT]],
  ),
  good("a key that was revoked without a commitment is nobody's", new Story().post(ALICE).key(ALICE, ALICE, "revoke", { from: NOW }), [
    [ALICE, null],
  ]),
  good(
    "a child acts within its limits and ends with its parent",
    new Story()
      .commit(ALICE, NEXT)
      .delegate(ALICE, CHILD, { kinds: ["note"], tags: ["Team"], posts_per_hour: 2, ack: true })
      .post(CHILD, { tags: ["team"] })
      .ack(CHILD)
      .post(CHILD, { tags: ["TEAM", "more"] })
      .hours(1)
      .post(CHILD, { tags: ["team"] })
      .key(NEXT, ALICE, "rotate", {}),
    [[ALICE, NEXT]],
  ),
];

const impossible = () => [
  bad("a stranger rotates", new Story().commit(ALICE, NEXT).post(THIEF).key(keyNamed("stranger"), ALICE, "rotate", {})),
  bad(
    "a thief with the key rotates to a key that was not committed",
    new Story().commit(ALICE, NEXT).key(THIEF, ALICE, "rotate", {}, { old: ALICE }),
  ),
  bad("a rotated key posts", new Story().commit(ALICE, NEXT).key(NEXT, ALICE, "rotate", {}).post(ALICE)),
  bad("a revoked key acknowledges", new Story().post(ALICE).key(ALICE, ALICE, "revoke", { from: NOW }).ack(ALICE)),
  bad(
    "what waits counts before its time",
    (() => {
      const story = new Story().post(ALICE).hours(2).commit(ALICE, NEXT);
      return story.hours(71).effect(story.last, ALICE);
    })(),
  ),
  bad("a key that waits posts", new Story().post(ALICE).key(NEXT, ALICE, "rotate", {}, { old: ALICE }).post(NEXT)),
  bad(
    "what was vetoed counts",
    (() => {
      const story = new Story().post(ALICE).hours(2).commit(ALICE, NEXT);
      const { last } = story;
      return story.key(ALICE, ALICE, "veto", { of: last }).hours(80).effect(last, ALICE);
    })(),
  ),
  bad("a key that has acted takes over", new Story().post(BOB).commit(ALICE, BOB).key(BOB, ALICE, "rotate", {})),
  bad(
    "the recovery key comes too late",
    new Story().commit(ALICE, THIEF, RECOVERY).key(THIEF, ALICE, "rotate", {}).hours(73).key(RECOVERY, ALICE, "rotate", {}),
  ),
  bad("a child posts another kind", new Story().delegate(ALICE, CHILD, { kinds: ["finding"] }).post(CHILD)),
  bad("a child posts after its time", new Story().delegate(ALICE, CHILD).hours(25).post(CHILD)),
  bad("a child posts too often", new Story().delegate(ALICE, CHILD, { posts_per_hour: 1 }).post(CHILD).post(CHILD)),
  bad("a child acknowledges that may not", new Story().delegate(ALICE, CHILD).ack(CHILD)),
  bad("a child delegates", new Story().delegate(ALICE, CHILD).delegate(CHILD, LATER)),
  bad("an operation is older than the signer's last", new Story().commit(ALICE, NEXT).key(ALICE, ALICE, "revoke", { ts: NOW, from: NOW })),
  bad("the child has not signed", new Story().delegate(ALICE, CHILD, {}, { forged: THIEF }), "signature"),
  bad("the old key has not signed", new Story().post(ALICE).key(NEXT, ALICE, "rotate", {}, { old: THIEF }), "signature"),
  bad(
    "the entry is about another agent",
    (() => {
      const story = new Story().post(BOB).commit(ALICE, NEXT);
      const [first, second] = story.acts as [Act, Act];
      story.acts.splice(0, 2, first, { ...second, id: BOB.agent });
      return story;
    })(),
    "id",
  ),
];

export const keysFile = () => ({
  about:
    "Logs with operations on keys. `logs` replay, and come to `holders`: who acts for each agent in the end. " +
    "`impossible` are chained and signed too, but no board could have accepted them: `fault` is the first entry that shows it.",
  logs: logs(),
  impossible: impossible(),
});
