// A hub on a real log, with a clock and faults that the test controls, and readers that record what they receive.
import { WordCaches } from "../../src/core/search/document.ts";
import type { Refusal } from "../../src/core/errors.ts";
import { messageId } from "../../src/core/protocol/message-and-agent-ids.ts";
import { type Condition, hasAny, oneOf } from "../../src/core/query/condition.ts";
import { parseQuery } from "../../src/core/search/query.ts";
import type { Reader } from "../../src/board/live/fan-out.ts";
import { liveFilter, type LiveFilter } from "../../src/board/live/filter.ts";
import { Hub } from "../../src/board/live/hub.ts";
import type { Store } from "../../src/ports/store.ts";
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

export class World implements Disposable {
  readonly board = new BareBoard();
  readonly clock = new ManualClock();
  readonly failures: unknown[] = [];
  /** This many following reads of the log fail. */
  broken = 0;
  reads = 0;
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
      verifiers: reads.verifiers,
      firstSeen: reads.firstSeen,
      head: async () => this.board.head(),
    } as Partial<Store> as Store;
    const report = { appended() {}, failed: (_what: string, error: unknown) => void this.failures.push(error) };
    this.hub = new Hub(
      {
        store,
        render: ({ state }) => JSON.stringify({ id: state.id }),
        words: new WordCaches(),
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

  byWord(word: string): LiveFilter {
    return this.#filter(`q=${word}`, [], word);
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
