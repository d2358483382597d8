// Random acts of agents for property tests. They are drawn as descriptions ("own live message") and get ids only when they are played.
import { type Arbitrary, array, boolean, constant, constantFrom, nat, oneof, record, subarray } from "fast-check";
import { agentId, messageId } from "../../src/core/protocol/message-and-agent-ids.ts";
import { parsePayload, type Payload } from "../../src/core/protocol/payload.ts";
import { REL_NAMES, type Rel, SIGNAL_NAMES } from "../../src/core/protocol/vocabulary.ts";
import { sha256Hex } from "../../src/core/protocol/node-sha256.ts";
import { HOUR_MS } from "../../src/core/durations.ts";
import type { Model, Posted } from "./model.ts";

export const AGENTS = Array.from({ length: 4 }, (_, i) => {
  const pk = Buffer.from(sha256Hex(`agent ${i}`), "hex").toString("base64url");
  return { pk, id: agentId(pk) };
});
/** Tasks that others may refer to before they are posted. */
const FORETOLD = AGENTS.flatMap(({ pk }, i) =>
  ["task", "note"].map((kind) => ({ agent: i, text: JSON.stringify({ v: 1, pk, ts: 1, kind, title: `foretold ${i}`, ttl: "5m" }) })),
);

type Where = "fitting" | "live" | "superseded" | "gone" | "unknown" | "foretold" | "any";
interface Pick {
  readonly where: Where;
  readonly n: number;
}
interface Draft {
  readonly agent: number;
  readonly kind: string;
  readonly target: Pick;
  readonly more: readonly { readonly rel: Rel; readonly target: Pick }[];
  readonly ttl: Payload["ttl"];
  readonly lease: Payload["lease"];
  readonly to: number | undefined;
  readonly signal: (typeof SIGNAL_NAMES)[number];
  readonly refutes: boolean;
  readonly all: boolean;
  readonly tags: readonly string[];
  readonly needs: readonly string[];
  readonly offers: readonly string[];
}
export type Step =
  | { readonly do: "post"; readonly draft: Draft }
  | { readonly do: "again"; readonly n: number }
  | { readonly do: "foretold"; readonly n: number }
  | { readonly do: "wait"; readonly ms: number }
  /** Moves to a little before, exactly at, or a little after the next moment at which something ends. */
  | { readonly do: "wait_for"; readonly n: number; readonly offset: number };

const among = <T>(...weighted: readonly (readonly [number, T])[]): Arbitrary<T> =>
  oneof(...weighted.map(([weight, value]) => ({ weight, arbitrary: constant(value) })));

const pick: Arbitrary<Pick> = record({
  where: among<Where>([30, "fitting"], [4, "live"], [2, "superseded"], [2, "gone"], [1, "unknown"], [2, "foretold"], [2, "any"]),
  n: among([6, 0], [4, 1], [3, 2], [2, 3], [1, 5], [1, 8]),
});

const draft: Arbitrary<Draft> = record({
  agent: nat(AGENTS.length - 1),
  // oxfmt-ignore
  kind: among(
    [2, "note"], [2, "finding"], [5, "task"], [3, "question"], [3, "subtask"], [5, "answer"], [3, "result"], [7, "claim"], [9, "verification"],
    [1, "summary"], [1, "offer"], [1, "profile"], [6, "signal"], [3, "retraction"], [2, "x-try"],
  ),
  target: pick,
  more: array(record({ rel: constantFrom(...REL_NAMES), target: pick }), { maxLength: 3 }).chain((more) => {
    const rare = more.slice(0, 1);
    return among([6, []], [3, rare], [2, more]);
  }),
  ttl: among<Payload["ttl"]>([2, 60], [2, "90s"], [3, "5m"], [3, 3600], [4, undefined]),
  lease: among<Payload["lease"]>([3, "60s"], [2, 120], [1, "1h"], [2, undefined]),
  to: among<number | undefined>([6, undefined], [1, 0], [1, 1]),
  signal: among([6, "resolved"], [3, "useful"], [3, "stale"], [1, "spam"]),
  refutes: boolean(),
  all: nat(9).map((n) => n === 0),
  tags: subarray(["red", "Red", "RED", "green", "blue"]),
  needs: subarray(["help", "Help me", "help me", "time"]),
  offers: subarray(["time", "Space", "space"]),
});

export const step: Arbitrary<Step> = oneof(
  { weight: 20, arbitrary: draft.map((draft) => ({ do: "post" as const, draft })) },
  { weight: 1, arbitrary: nat(30).map((n) => ({ do: "again" as const, n })) },
  { weight: 1, arbitrary: nat(FORETOLD.length - 1).map((n) => ({ do: "foretold" as const, n })) },
  { weight: 2, arbitrary: among([4, 0], [4, 1], [8, 20_000], [3, 61_000], [1, 4 * HOUR_MS]).map((ms) => ({ do: "wait" as const, ms })) },
  { weight: 2, arbitrary: record({ do: constant("wait_for" as const), n: nat(6), offset: constantFrom(-1, 0, 0, 1) }) },
);

const REQUIRED: Readonly<Record<string, Rel>> = {
  subtask: "subtask_of",
  answer: "answers",
  result: "answers",
  claim: "claims",
  summary: "summarizes",
  signal: "on",
  retraction: "retracts",
};

/** Messages to act on from the start. */
export const OPENING: readonly Step[] = (["task", "question", "finding", "task"] as const).map((kind, agent) => {
  const target: Pick = { where: "any", n: 0 };
  const draft = { agent, kind, target, more: [], ttl: undefined, lease: undefined, to: undefined, signal: "useful" as const };
  return { do: "post", draft: { ...draft, refutes: false, all: false, tags: ["red"], needs: [], offers: [] } };
});

/** The payload of a message and its author. Each draft gives a valid payload, whatever its refs point to. */
export function written(model: Model, play: Exclude<Step, { do: "wait" | "wait_for" }>, n: number): { author: string; text: string } {
  if (play.do === "again") {
    const known = model.messages[play.n % Math.max(1, model.messages.length)];
    if (known !== undefined) return { author: known.author, text: JSON.stringify(known.payload) };
  }
  if (play.do !== "post") {
    const { agent, text } = FORETOLD[play.n % FORETOLD.length]!;
    return { author: AGENTS[agent]!.id, text };
  }
  const { draft } = play;
  const { pk, id: author } = AGENTS[draft.agent]!;
  const rel = draft.kind === "verification" ? (draft.refutes ? "refutes" : "verifies") : REQUIRED[draft.kind];
  const all = draft.kind === "retraction" && draft.all;
  const wanted = [
    ...(rel === undefined || all ? [] : [{ rel, target: draft.target }]),
    // A claim claims exactly one message, and a subtask is part of exactly one.
    ...draft.more.filter((one) => one.rel !== rel || !["claims", "subtask_of"].includes(one.rel)),
  ].filter((one, i, all) => one.rel !== "claims" || all.findIndex(({ rel: first }) => first === "claims") === i);
  const text = JSON.stringify({
    v: 1,
    pk,
    ts: Math.floor(model.now / 1000),
    kind: draft.kind,
    title: `message ${n}`,
    body: "text",
    refs: wanted.map(({ rel, target }) => ({ rel, id: aim(model, rel, author, target, draft.signal) })),
    tags: draft.tags,
    needs: draft.needs,
    offers: draft.kind === "offer" ? ["help", ...draft.offers] : draft.offers,
    ...(all ? { data: { scope: "all" } } : {}),
    ...(draft.kind === "signal" || (draft.refutes && wanted.some(({ rel }) => rel === "on")) ? { signal: draft.signal } : {}),
    ...(draft.kind === "task" && draft.to !== undefined ? { to: AGENTS[draft.to]!.id } : {}),
    ttl: draft.ttl,
    lease: draft.lease,
  });
  parsePayload(text);
  return { author, text };
}

function aim(model: Model, rel: Rel, author: string, { where, n }: Pick, signal: Draft["signal"]): string {
  const live = model.messages.filter((m) => model.goneReason(m) === undefined);
  const candidates = (): readonly Posted[] => {
    switch (where) {
      case "fitting":
        return live.filter((m) => (rel === "on" && signal === "stale" ? m.payload.kind === "claim" : fits(rel, author, m)));
      case "live":
        return live;
      case "superseded":
        return live.filter((m) => model.supersededBy(m) !== undefined);
      case "gone":
        return model.messages.filter((m) => !live.includes(m));
      case "any":
        return model.messages;
      case "unknown":
      case "foretold":
        return [];
    }
  };
  // Later messages are more likely, so that acts affect each other.
  const found = candidates().length === 0 && where === "fitting" ? live : candidates();
  const target = found[found.length - 1 - (n % Math.max(1, found.length))];
  if (target !== undefined) return target.id;
  return where === "unknown" ? sha256Hex(`nothing ${n}`) : messageId(FORETOLD[n % FORETOLD.length]!.text);
}

function fits(rel: Rel, author: string, m: Posted): boolean {
  if (["subtask_of", "answers", "claims"].includes(rel)) return ["task", "subtask", "question"].includes(m.payload.kind);
  if (["verifies", "refutes"].includes(rel)) return m.author !== author && ["answer", "result", "finding"].includes(m.payload.kind);
  if (["retracts", "supersedes"].includes(rel)) return m.author === author;
  return true;
}
