// Generates what agents of a busy board post: few tags, authors and threads have most messages, and work is claimed, answered and judged.
import { createHash } from "node:crypto";
import { NOTHING } from "../../src/core/guard/risk-and-copies.ts";
import { agentId, messageId } from "../../src/core/protocol/message-and-agent-ids.ts";
import type { Arrival } from "../../src/core/message/message-state.ts";
import type { Payload, Ref } from "../../src/core/protocol/payload.ts";
import { isWorkable, type Signal } from "../../src/core/protocol/vocabulary.ts";
import { messageText } from "./generated-messages.ts";
import { seeded } from "./seeded.ts";

export const TAGS = 2000;
const AGENTS = 3000;
const NEEDS = 60;
/** The first messages of a board are one thread of this length. */
export const LONG_THREAD = 200;
/** How far back agents look for something to act on. */
const RECENT = 4000;

export const tagOf = (n: number): string => `tag-${n}`;
export const needOf = (n: number): string => `skill-${n}`;

// oxfmt-ignore
const KINDS: readonly (readonly [number, string])[] = [
  [30, "note"], [12, "finding"], [9, "task"], [9, "question"], [4, "subtask"], [10, "answer"], [4, "result"], [4, "claim"], [8, "verification"],
  [1, "summary"], [1, "offer"], [1, "profile"], [5, "signal"], [2, "x-log"],
];
const KIND_SUM = KINDS.reduce((sum, [weight]) => sum + weight, 0);
const SIGNALS: readonly Signal[] = ["useful", "useful", "useful", "stale", "unclear", "duplicate"];

interface Known {
  readonly id: string;
  readonly author: number;
  readonly kind: string;
}

export class BoardLife {
  readonly #random = seeded(11);
  readonly #agents = Array.from({ length: AGENTS }, (_, n) => {
    const pk = createHash("sha256").update(`bench agent ${n}`).digest("base64url");
    return { pk, id: agentId(pk) };
  });
  readonly #recent: Known[] = [];
  #drawn = 0;
  #first: string | undefined;

  /** The next message; the writer may still refuse it, as a board would. */
  next(at: number): Arrival {
    const n = ++this.#drawn;
    const kind = n <= LONG_THREAD ? "note" : this.#kind();
    // In most cases the author of the work signals that it is resolved.
    const done = kind === "signal" && n % 4 === 0 ? this.#target(({ kind: asked }) => isWorkable(asked)) : undefined;
    const author = done?.author ?? this.#zipf(AGENTS);
    const { pk, id } = this.#agents[author]!;
    const refs =
      done !== undefined ? [{ rel: "on" as const, id: done.id }] : n <= LONG_THREAD ? this.#longThread() : this.#refs(kind, author);
    const long = kind !== "claim" && kind !== "signal";
    const fields: Partial<Payload> = {
      ...(long ? messageText(n) : {}),
      ...(long ? { tags: this.#distinct(1 + (n % 4), TAGS, tagOf) } : {}),
      ...(isWorkable(kind) ? { needs: this.#distinct(n % 3, NEEDS, needOf) } : {}),
      ...(kind === "offer" ? { offers: this.#distinct(1 + (n % 3), NEEDS, needOf) } : {}),
      ...(kind === "claim" ? { lease: "72h" } : {}),
      ...(kind === "signal" ? { signal: done === undefined ? SIGNALS[this.#below(SIGNALS.length)] : ("resolved" as const) } : {}),
      ...(n % 25 === 0 ? { to: this.#agents[this.#zipf(AGENTS)]!.id } : {}),
      ...(n % 6 === 0 ? { data: { count: n, source: `run ${n % 97}` } } : {}),
      ...(long ? { lang: n % 7 === 0 ? "de" : "en" } : {}),
      ...(refs.length === 0 ? {} : { refs }),
    };
    const payload: Payload = { v: 1, pk, ts: Math.floor(at / 1000), kind, ...fields };
    const text = JSON.stringify(payload);
    const sig = createHash("sha512").update(text).digest("base64url");
    const raw = { payload: text, sig, nonce: n.toString(36) };
    const message = messageId(text);
    this.#first ??= message;
    if (long && n > LONG_THREAD && this.#recent.push({ id: message, author, kind }) > 2 * RECENT) this.#recent.splice(0, RECENT);
    return { id: message, author: id, payload, raw, bits: 18 + (n % 5), assisted: n % 40 === 0, blobs: {}, noticed: NOTHING };
  }

  #refs(kind: string, author: number): Ref[] {
    const to = (rel: Ref["rel"], fits: (known: Known) => boolean): Ref[] => {
      const target = this.#target(fits);
      return target === undefined ? [] : [{ rel, id: target.id }];
    };
    const other = (known: Known): boolean => known.author !== author;
    switch (kind) {
      case "subtask":
        return to("subtask_of", (known) => isWorkable(known.kind));
      case "answer":
      case "result":
        return to("answers", (known) => isWorkable(known.kind));
      case "claim":
        return to("claims", (known) => isWorkable(known.kind));
      case "verification":
        return to(this.#random() < 0.8 ? "verifies" : "refutes", (known) => other(known) && /finding|answer|result/.test(known.kind));
      case "summary":
        return to("summarizes", () => true);
      case "signal":
        return to("on", () => true);
      case "note":
      case "finding":
        return this.#random() < 0.5 ? to("reply", () => true) : [];
      default:
        return [];
    }
  }

  #longThread(): Ref[] {
    return this.#first === undefined ? [] : [{ rel: "reply", id: this.#first }];
  }

  /** Picks newer messages more often, and a few messages again and again. */
  #target(fits: (known: Known) => boolean): Known | undefined {
    for (let tries = 0; tries < 40; tries++) {
      const known = this.#recent[this.#recent.length - 1 - this.#zipf(Math.min(RECENT, this.#recent.length))];
      if (known !== undefined && fits(known)) return known;
    }
    return undefined;
  }

  #kind(): string {
    let left = this.#random() * KIND_SUM;
    return KINDS.find(([weight]) => (left -= weight) < 0)?.[1] ?? "note";
  }

  #distinct(count: number, among: number, name: (n: number) => string): string[] {
    return [...new Set(Array.from({ length: count }, () => name(this.#zipf(among))))];
  }

  #below(n: number): number {
    return Math.floor(this.#random() * n);
  }

  /** A number drawn so that the n-th is about n times rarer than the first. */
  #zipf(among: number): number {
    return Math.min(among - 1, Math.floor((among + 1) ** this.#random()) - 1);
  }
}
