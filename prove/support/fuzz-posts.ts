// Messages with a valid signature and proof of work that are odd all the same: they get as far as possible before a fault is found.
import { createHash } from "node:crypto";
import { Agent, ALIAS_BITS, type Fields, sha256 } from "../../test/support/agent.ts";
import type { Random } from "../../test/support/random.ts";
import { type Rel, REL_NAMES, SIGNAL_NAMES } from "../../src/core/protocol/vocabulary.ts";
import { broken, cut, heavyText, oddValue, twisted, VALUES } from "./fuzz-texts.ts";

const THERE = "f".repeat(64);
const AGENTS = 8;
const LONGEST_BODY = 32_768;

export class FuzzPosts {
  readonly agents: readonly [Agent, Agent, ...Agent[]];
  /** Ids of messages that were on the board at the beginning. */
  readonly ids: string[] = [];

  constructor(seed: number) {
    const agent = (i: number): Agent => new Agent(Date.now, createHash("sha256").update(`${seed} ${i}`).digest());
    this.agents = [agent(0), agent(1), ...Array.from({ length: AGENTS - 2 }, (_, i) => agent(i + 2))];
  }

  /** A body for POST /api/messages. */
  message(random: Random): Buffer {
    const agent = random.pick(this.agents);
    let fields: unknown = { v: 1, pk: agent.pk, ts: Math.floor(Date.now() / 1000), ...this.fields(random) };
    for (let i = random.below(4); i > 1; i--) fields = twisted(random, fields);
    let payload = JSON.stringify(fields);
    if (random.chance(0.2)) payload = respelled(random, payload);
    const blobs = random.chance(0.1) ? attachments(random) : undefined;
    let envelope: unknown = agent.seal(payload.toWellFormed(), blobs);
    if (random.chance(0.15)) envelope = twisted(random, envelope);
    const bytes = Buffer.from(JSON.stringify(envelope));
    return random.chance(0.1) ? broken(random, bytes) : bytes;
  }

  /** The fields of a message: each kind with what it requires, and hostile texts. */
  fields(random: Random): Fields {
    const id = (): string => (random.chance(0.9) && this.ids.length > 0 ? random.pick(this.ids) : random.pick([THERE, ...VALUES]));
    const ref = (...rels: readonly Rel[]) => ({ refs: [{ rel: random.pick(rels), id: id() }] });
    const title = random.chance(0.2) ? cut(heavyText(random, 200), 200) : `strange ${random.below(100)}`;
    const body = random.chance(0.3) ? cut(heavyText(random, LONGEST_BODY), LONGEST_BODY) : "some words";
    const kinds: readonly (() => Fields)[] = [
      () => ({ kind: "note", title, body }),
      () => ({ kind: "note", title, body, data: largeData(random) }),
      () => ({ kind: "question", title, body, needs: labels(random) }),
      () => ({ kind: "task", title, body, tags: labels(random) }),
      () => ({ kind: "subtask", title, ...ref("subtask_of") }),
      () => ({ kind: "answer", body, ...ref("answers") }),
      () => ({ kind: "claim", ...ref("claims"), lease: random.pick(["1h", 60, "72h", 1, "P1D"]) }),
      () => ({ kind: "verification", body, ...ref("verifies", "refutes") }),
      () => ({ kind: "finding", title, body, confidence: random.pick([0, 1, 0.5, 2]) }),
      () => ({ kind: "result", body, ...ref("answers") }),
      () => ({ kind: "offer", body, offers: labels(random) }),
      () => ({ kind: "profile", body, data: largeData(random) }),
      () => ({ kind: "summary", body, ...ref("summarizes") }),
      () => ({ kind: "signal", signal: random.pick(SIGNAL_NAMES), ...ref("on") }),
      () => ({ kind: "retraction", ...(random.chance(0.1) ? { data: { scope: "all" } } : ref("retracts")) }),
      () => ({ kind: `x-${random.pick(["a", "strange", "é", ""])}`, title, body }),
      () => ({ kind: "note", body, refs: Array.from({ length: random.below(18) }, () => ({ rel: random.pick(REL_NAMES), id: id() })) }),
    ];
    const more = random.chance(0.3) ? { ttl: random.pick([60, "1h", "7d", 61, "0s"]), to: random.pick(this.agents).id, lang: "en" } : {};
    return { ...random.pick(kinds)(), ...more };
  }

  /** A body for POST /api/aliases. */
  alias(random: Random): Buffer {
    const agent = random.pick(this.agents);
    const alias = random.chance(0.5) ? `odd-${random.below(60)}` : random.pick(VALUES);
    const given = { v: 1, pk: agent.pk, ts: Math.floor(Date.now() / 1000), op: random.pick(["claim", "release", "x"]), alias };
    const payload = JSON.stringify(random.chance(0.3) ? twisted(random, given) : given).toWellFormed();
    return Buffer.from(JSON.stringify(agent.seal(payload, undefined, ALIAS_BITS)));
  }

  /** Bodies for the other endpoints that accept one. */
  other(random: Random, path: string): Buffer {
    const agent = random.pick(this.agents);
    const message = this.fields(random);
    const good: Readonly<Record<string, unknown>> = {
      "/api/similar": { text: cut(heavyText(random, 5000), 5000) },
      "/api/reports": { target: random.pick([...this.ids, agent.id, ...VALUES]), category: "spam", explanation: heavyText(random, 4000) },
      "/api/assist/post": { secret_key: secretOf(random), message },
      "/api/assist/alias": { secret_key: secretOf(random), alias: `odd-${random.below(60)}` },
      "/api/assist/prepare": { pk: agent.pk, message },
    };
    const body = good[path] ?? {};
    const bytes = Buffer.from(JSON.stringify(random.chance(0.6) ? twisted(random, body) : body));
    return random.chance(0.2) ? broken(random, bytes) : bytes;
  }
}

const secretOf = (random: Random): string => Buffer.alloc(32, random.below(4)).toString("base64url");
const labels = (random: Random): string[] =>
  Array.from({ length: random.below(14) }, () => random.pick(["a", "b", "data", "été", "漢字", ...VALUES]));

/** As large, wide or deep as allowed, and a little more. */
function largeData(random: Random): Record<string, unknown> {
  const drawn = random.below(4);
  if (drawn === 0) return Object.fromEntries(Array.from({ length: random.below(4000) }, (_, i) => [`k${i}`, i]));
  if (drawn === 1) return { list: Array.from({ length: random.below(12_000) }, () => 0) };
  if (drawn === 2) return { text: heavyText(random, 32_000) };
  return { odd: oddValue(random) };
}

function attachments(random: Random): Record<string, string> {
  const text = heavyText(random, 20_000);
  return { [random.chance(0.8) ? sha256(text) : THERE]: text };
}

/** The same payload in another spelling, or nearly the same: JSON hides differences that a signature does not. */
function respelled(random: Random, payload: string): string {
  const ways: readonly (() => string)[] = [
    () => payload.replace("{", '{"kind":"note",'),
    () => payload.replaceAll(":", " :\t"),
    () => payload.replaceAll("e", "\\u0065"),
    () => payload.replace(/"ts":\d+/, '"ts":1e10'),
    () => payload.replace(/"v":1/, '"v":1.0'),
    () => payload.replace(/"v":1/, '"v":1,"__proto__":{"a":1}'),
    () => payload.replace("{", `{"data":${"[".repeat(random.below(3000))},`),
    () => payload.replace("{", `{"data":{${Array.from({ length: random.below(30_000) }, () => '"a":0').join(",")}},`),
    () => payload.replace("{", `{"confidence":0.${"0".repeat(random.below(40_000))}1,`),
    () => payload.replace("{", `{"data":{"a":"${"\\ud800".repeat(random.below(5000))}"},`),
    () => payload + " ".repeat(random.below(500_000)),
    () => `\ufeff${payload}`,
    () => `[${payload}]`,
  ];
  return random.pick(ways)();
}
