// A hub on a real log, with a clock and faults that the test controls, and readers that record what they receive.
import { WordCaches } from "../../src/core/search/document.ts";
import type { Refusal } from "../../src/core/errors.ts";
import type { Act } from "../../src/core/message/acts-and-outcomes.ts";
import type { AckPayload } from "../../src/core/protocol/ack.ts";
import { messageId } from "../../src/core/protocol/message-and-agent-ids.ts";
import { type Condition, hasAny, oneOf } from "../../src/core/query/condition.ts";
import { parseQuery } from "../../src/core/search/query.ts";
import type { Reader } from "../../src/board/live/fan-out.ts";
import { liveFilter, type LiveFilter } from "../../src/board/live/filter.ts";
import { Hub } from "../../src/board/live/hub.ts";
import { Voters } from "../../src/board/live/voters.ts";
import type { Store } from "../../src/ports/store.ts";
import { ackText } from "./acks.ts";
import type { Agent } from "./agent.ts";
import { BareBoard } from "./bare-board.ts";
import { eventually } from "./eventually.ts";
import { ManualClock } from "./manual-clock.ts";

const PK = "A".repeat(43);
export const OTHER_PK = Buffer.alloc(32, 2).toString("base64url");

export class Listener implements Reader {
  readonly got: number[] = [];
  readonly deliveries: number[] = [];
  ended: string | undefined;
  /** Called once, with the first events. */
  onFirst: (() => void) | undefined;
  deliver(events: readonly { readonly seq: number }[]): void {
    const called = this.onFirst;
    this.onFirst = undefined;
    called?.();
    this.deliveries.push(events.length);
    this.got.push(...events.map(({ seq }) => seq));
  }
  end(refusal: Refusal): void {
    this.ended = refusal.code;
  }
  /** The hub passes an entry before its readers receive it: during a text match, other code may run in between. */
  async received(entries: number): Promise<void> {
    await eventually(`${entries} entries are told`, () => (this.got.length >= entries ? true : undefined));
  }
}

/** Caches of words that count the documents made with them. */
export class CountedWords extends WordCaches {
  documents = 0;
  /** Called for each. */
  onDocument = (): void => {};

  constructor() {
    super();
    const made = this.grams.grams.bind(this.grams);
    this.grams.grams = (...of) => {
      this.documents++;
      this.onDocument();
      return made(...of);
    };
  }
}

/** An acknowledgement of these messages at this time, in seconds. */
export function ackAct(agent: Agent, acted: readonly string[], at = 0): Act<"ack"> {
  const text = ackText("", agent, at * 1000, { acted });
  const payload = JSON.parse(text) as AckPayload;
  return { type: "ack", id: messageId(text), agent: agent.id, payload, detail: JSON.stringify(agent.seal(text, undefined, 0)) };
}

export class World implements Disposable {
  readonly board = new BareBoard();
  readonly clock = new ManualClock();
  readonly failures: unknown[] = [];
  /** This many following reads of the log fail. */
  broken = 0;
  reads = 0;
  /** How often voters were read, and of how many messages. */
  readonly votersRead: number[] = [];
  readonly words = new CountedWords();
  writing = false;
  /** Called once, after messages were read and before they are processed. */
  found: ((messages: number) => void) | undefined;
  readonly hub: Hub;

  constructor() {
    const { reader, reads } = this.board;
    const store = {
      entries: async (after: number, limit: number) => {
        this.reads++;
        if (this.broken-- > 0) throw new Error("the disk is away");
        return reads.entries(after, limit);
      },
      findAll: async (ids: readonly string[], now: number) => {
        const found = await reader.findAll(ids, now);
        const called = this.found;
        this.found = undefined;
        called?.(ids.length);
        return found;
      },
      verifiers: (seqs: readonly number[]) => {
        this.votersRead.push(seqs.length);
        return reads.verifiers(seqs);
      },
      firstSeen: reads.firstSeen,
      ack: (id: string) => reads.ack(id),
      head: async () => this.board.head(),
    } as Partial<Store> as Store;
    const report = { appended() {}, failed: (_what: string, error: unknown) => void this.failures.push(error) };
    this.hub = new Hub(
      {
        store,
        render: ({ state }) => JSON.stringify({ id: state.id }),
        words: this.words,
        voters: new Voters(store),
        clock: this.clock,
        report,
        writing: () => this.writing,
      },
      0,
    );
  }

  get head(): number {
    return this.board.head().seq;
  }

  post(kind = "note", text = String(this.head), more: object = {}): string {
    const payload = JSON.stringify({ v: 1, pk: PK, ts: 0, kind, title: text, ...more });
    const said = this.board.post(payload, this.clock.now());
    if (said !== "created") throw new Error(said);
    return messageId(payload);
  }

  /** The agent acknowledges messages that have reached it, after the first `turn` of them the others. */
  acknowledge(agent: Agent, ids: readonly string[], turn = 0): void {
    const [outcome] = this.board.run([ackAct(agent, [...ids.slice(turn), ...ids.slice(0, turn)])], this.clock.now()).outcomes;
    if (outcome === undefined || "refused" in outcome) throw new Error(JSON.stringify(outcome));
  }

  /** Lets the hub go on to the end of the log. */
  async followed(): Promise<void> {
    this.hub.hint(this.head);
    await this.hub.caughtUp(this.head);
  }

  remove(target: string): void {
    const reasons = { id: "sr_0123456789abcdef", ground: "illegal_content", category: "illegal", facts: "x" } as const;
    const order = { do: "remove", target, keepAttachments: false, reasons } as const;
    this.board.run([{ type: "order", order }], this.clock.now());
    this.hub.forget();
  }

  /** Withdraws one message, or all messages so far. */
  retract(target?: string): void {
    const what = target === undefined ? { data: { scope: "all" } } : { refs: [{ rel: "retracts", id: target }] };
    const said = this.board.post(JSON.stringify({ v: 1, pk: PK, ts: 0, kind: "retraction", ...what }), this.clock.now());
    if (said !== "created") throw new Error(said);
    this.hub.hint(this.head);
  }

  filter(kind?: string): LiveFilter {
    return this.#filter(kind ?? "", kind === undefined ? [] : [oneOf("kind", [kind])]);
  }

  /** Messages with this word, of this kind if one is given. */
  byWord(word: string, kind?: string): LiveFilter {
    return this.#filter(`q=${word} ${kind}`, kind === undefined ? [] : [oneOf("kind", [kind])], word);
  }

  verifiedBy(agent: string): LiveFilter {
    return this.#filter(`verified_by=${agent}`, [hasAny("verifiedBy", [agent])]);
  }

  #filter(key: string, conditions: readonly Condition[], word?: string): LiveFilter {
    const query = word === undefined ? undefined : parseQuery(word, "all");
    return liveFilter(key, () => conditions, { query, near: undefined, except: undefined, vectorOf: () => new Int8Array() }, this.clock);
  }

  [Symbol.dispose](): void {
    this.hub.close();
    this.board[Symbol.dispose]();
  }
}

/** All numbers from the first to the last. */
export const from = (first: number, last: number): number[] => Array.from({ length: last - first + 1 }, (_, i) => first + i);
