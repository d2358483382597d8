// A board with everything that agents do: every kind, rel, label, vote, claim, signal, language, attachment, instructions to the reader,
// texts that many agents send on, and messages that have ended.
import { ALONE } from "../../src/core/guard/copies/copies.ts";
import { brakeBits } from "../../src/core/guard/copies/extra-proof-of-work.ts";
import { type Rel, SIGNAL_NAMES } from "../../src/core/protocol/vocabulary.ts";
import { Agent, type Fields, sha256, TEST_BITS } from "./agent.ts";
import type { PostBody, TestBoard } from "./board.ts";
import type { Random } from "./random.ts";
import { CHAIN_LETTERS, RISKY_TEXTS } from "./strangers-texts.ts";

export const TAGS = ["red", "green", "blue", "c++", "größe", "言語", "a.b/c"];
export const NEEDS = ["german", "gpu", "time"];
export const OFFERS = ["gpu", "space", "time"];
export const LANGUAGES = ["en", "en-GB", "EN-us", "de", "de-CH", "eng", "zh-Hant-TW", "x-private"];
export const WORDS = [
  ..."index rebuilt nightly shards parser drops last line mirror stale universities running quickly café naïve".split(" "),
  ..."Straße Überprüfung 東京 天気 予報 ภาษาไทย c++ node.js foo-bar don't".split(" "),
];
/** Texts that several agents post. */
const SENT_ON = new Set([...RISKY_TEXTS, ...CHAIN_LETTERS]);
const WORKABLE = new Set(["task", "question", "subtask"]);

interface Known {
  readonly id: string;
  readonly author: string;
  readonly kind: string;
}

export class BusyBoard {
  readonly board: Pick<TestBoard, "clock" | "post">;
  readonly agents: Agent[];
  /** Everything that was ever accepted, in order. */
  readonly posted: Known[] = [];
  /** Refs may point to messages that nobody ever posted. */
  readonly unknown: string[];
  readonly #random: Random;
  #number = 0;

  constructor(board: Pick<TestBoard, "clock" | "post">, random: Random, agents = 6) {
    this.board = board;
    this.#random = random;
    this.agents = Array.from({ length: agents }, () => new Agent(() => board.clock.now(), random.bytes(32)));
    this.unknown = Array.from({ length: 3 }, () => Buffer.from(random.bytes(32)).toString("hex"));
  }

  /** Posts this many messages, of which some are refused. Time moves now and then. */
  async fill(tries: number): Promise<void> {
    for (let i = 0; i < tries; i++) {
      if (this.#random.chance(0.3)) this.board.clock.advance(this.#random.pick([1, 999, 1000, 7000, 20_000]));
      await this.act();
    }
  }

  /** Every agent sends on every text that is sent on. */
  async spread(): Promise<void> {
    for (const body of CHAIN_LETTERS)
      for (const agent of this.agents) await this.#post(agent, { kind: "note", title: this.#title(), body });
  }

  act(): Promise<PostBody | undefined> {
    const agent = this.#random.pick(this.agents);
    const { fields, blobs } = this.#draft(agent);
    return this.#post(agent, fields, blobs);
  }

  async #post(agent: Agent, fields: Fields, blobs?: Record<string, string>): Promise<PostBody | undefined> {
    const { status, body } = await this.board.post(agent, fields, blobs, this.#bits(fields));
    if (status === 409) return undefined;
    if (status !== 201) throw new Error(`${status} for ${JSON.stringify(fields)}: ${JSON.stringify(body)}`);
    this.posted.push({ id: body.id, author: agent.id, kind: fields.kind });
    return body;
  }

  /** The work of a message; a text that spreads needs more. */
  #bits({ body = "" }: Fields): number {
    return SENT_ON.has(body) ? TEST_BITS + brakeBits({ ...ALONE, lately: this.agents.length }) : TEST_BITS;
  }

  text(most = 12): string {
    return Array.from({ length: 1 + this.#random.below(most) }, () => this.#random.pick(WORDS)).join(" ");
  }

  #title(): string {
    return `${this.#number++} ${this.#random.chance(0.7) ? this.text(5) : ""}`;
  }

  #body(): string {
    const at = this.#random.next();
    if (at < 0.1) return this.#random.pick(RISKY_TEXTS);
    return at < 0.2 ? this.#random.pick(CHAIN_LETTERS) : this.text();
  }

  #draft(agent: Agent): { fields: Fields; blobs?: Record<string, string> } {
    const random = this.#random;
    const { kind, refs } = this.#act(agent);
    const blob = `attached ${this.text()}`;
    const attached = random.chance(0.1);
    const fields: Fields = {
      kind,
      title: this.#title(),
      ...(random.chance(0.7) || ["finding", "verification", "profile"].includes(kind) ? { body: this.#body() } : {}),
      ...(random.chance(0.5) ? { tags: random.some(TAGS, 0, 4) } : {}),
      ...(random.chance(0.3) ? { needs: random.some(NEEDS, 0, 3) } : {}),
      ...(random.chance(0.3) || kind === "offer" ? { offers: random.some(OFFERS, 1, 3) } : {}),
      ...(random.chance(0.2) ? { data: { note: this.text(3), n: random.below(9), deep: [{ word: random.pick(WORDS) }] } } : {}),
      ...(random.chance(0.4) ? { lang: random.pick(LANGUAGES) } : {}),
      ...(random.chance(0.2) ? { to: random.pick(this.agents).id } : {}),
      ...(random.chance(0.6) ? { ttl: random.pick([60, "90s", "10m", "1h", "6h", "2d"]) } : {}),
      ...(kind === "signal" ? { signal: random.chance(0.5) ? ("resolved" as const) : random.pick(SIGNAL_NAMES) } : {}),
      ...(kind === "claim" ? { lease: random.pick(["60s", 120, "1h"]) } : {}),
      ...(refs.length > 0 ? { refs } : {}),
      ...(attached ? { attachments: [{ sha256: sha256(blob), name: "a.txt", mime: "text/plain", size: Buffer.byteLength(blob) }] } : {}),
    };
    return attached ? { fields, blobs: { [sha256(blob)]: blob } } : { fields };
  }

  #act(agent: Agent): { kind: string; refs: { rel: Rel; id: string }[] } {
    const random = this.#random;
    const target = (fits: (one: Known) => boolean): string => {
      const fitting = this.posted.slice(-80).filter(fits);
      if (fitting.length > 0 && random.chance(0.97)) return random.pick(fitting).id;
      return this.posted.length > 0 ? random.pick(this.posted).id : random.pick(this.unknown);
    };
    const anything = () => (random.chance(0.1) ? random.pick(this.unknown) : target(() => true));
    const work = () => target((one) => WORKABLE.has(one.kind));
    const own = () => target((one) => one.author === agent.id);
    const others = () => target((one) => one.author !== agent.id && ["answer", "result", "finding"].includes(one.kind));
    const free: Rel[] = ["reply", "duplicates", "builds_on", "cites", "summarizes"];
    const extra = random.chance(0.25) ? [{ rel: random.chance(0.5) ? ("reply" as const) : random.pick(free), id: anything() }] : [];
    const make = (kind: string, rel?: Rel, id?: string) => ({
      kind,
      refs: rel === undefined || id === undefined ? extra : [{ rel, id }, ...extra],
    });
    const draws: (readonly [number, () => { kind: string; refs: { rel: Rel; id: string }[] }])[] = [
      [6, () => make(random.pick(["note", "finding", "x-try", "x-other", "offer", "profile"]))],
      [7, () => make(random.pick(["task", "question"]))],
      [2, () => make("subtask", "subtask_of", work())],
      [5, () => make(random.pick(["answer", "result"]), "answers", work())],
      [4, () => make("claim", "claims", work())],
      [6, () => make("verification", random.chance(0.6) ? "verifies" : "refutes", others())],
      [2, () => make("summary", "summarizes", anything())],
      [4, () => make("signal", "on", random.chance(0.4) ? own() : anything())],
      [2, () => make("note", "supersedes", own())],
      [1, () => make("retraction", "retracts", own())],
      [3, () => make("note", "reply", anything())],
    ];
    let at = random.below(draws.reduce((sum, [weight]) => sum + weight, 0));
    for (const [weight, draw] of draws) {
      if (at < weight) return draw();
      at -= weight;
    }
    return make("note");
  }
}
