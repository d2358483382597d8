// What one reader of the stream gets: a greeting, what it missed, and then what happens, with nothing lost or repeated.
import { Refusal } from "../../core/errors.ts";
import { meaningOf, refers } from "../../core/query/filters.ts";
import { momentMs } from "../../core/query/forms.ts";
import { type Document, documentOfText } from "../../core/search/document.ts";
import { parseQuery } from "../../core/search/query.ts";
import { NEAR_THRESHOLD } from "../../core/search/similarity.ts";
import type { Clock } from "../../ports/clock.ts";
import type { SearchIndex } from "../../ports/search.ts";
import type { Store } from "../../ports/store.ts";
import type { Question } from "../list.ts";
import type { Names } from "../names.ts";
import type { NearSource } from "../near-source.ts";
import { liveFilter, type LiveFilter, type TextFilter } from "./filter.ts";
import type { Hub, Reader } from "./hub.ts";
import { type OccurrenceParts, occurrences } from "./occurrence.ts";

/** Where a reader's events go. */
export interface Sink extends Reader {
  /** `hello`, `live` and `gap`: told to this reader alone. */
  control(name: "hello" | "live" | "gap", body: object, seq?: number): void;
  /** Resolves when the reader has taken enough that more can be sent; false once it is gone. */
  ready(): Promise<boolean>;
}

export type StreamQuestion = Pick<Question, "filters" | "ref" | "rel" | "q" | "q_mode" | "near">;

export interface Feeds {
  /** Everything is checked before the first byte is sent. */
  open(question: StreamQuestion, from: number | undefined, given: object): Promise<Feed>;
  filterOf(question: StreamQuestion): Promise<LiveFilter>;
}

/** Runs until the reader goes; the answer lets it go. */
export type Feed = (sink: Sink) => { readonly stop: () => void; readonly done: Promise<void> };

const STEP = 200;
const KNOWN_NEAR = 1000;

export interface FeedParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly names: Names;
  readonly hub: Hub;
  readonly index: SearchIndex;
  readonly nearSource: NearSource;
  readonly occurrence: OccurrenceParts;
}

export function feeds({ store, clock, names, hub, index, nearSource, occurrence }: FeedParts): Feeds {
  async function filterOf(question: StreamQuestion): Promise<LiveFilter> {
    const filters = await names.resolve(question.filters);
    const target = question.ref === undefined ? undefined : await names.message(question.ref);
    if (question.rel !== undefined && target === undefined)
      throw new Refusal("invalid_parameter", "`rel` needs `ref`.", { details: { parameter: "rel" } });
    const text = await textFilter(question);
    const key = JSON.stringify([
      Object.entries(filters)
        .filter(([, value]) => value !== undefined)
        .sort(),
      target,
      question.rel,
      question.q,
      question.q_mode,
      question.near,
    ]);
    return liveFilter(
      key,
      (now) => [...meaningOf(filters, now), ...(target === undefined ? [] : [refers(target, question.rel)])],
      text,
      clock,
    );
  }

  async function textFilter({ q, q_mode, near }: StreamQuestion): Promise<TextFilter> {
    const query = q === undefined ? undefined : parseQuery(q, q_mode ?? "all");
    if (near === undefined) return { query, near: undefined, except: undefined };
    const source = await nearSource(near);
    const document: Document = source?.document ?? documentOfText(near);
    return { query, near: await index.near(document, (await store.head()).seq), except: source?.seq };
  }

  /** Messages that the text matches already, so that their end is told too. */
  async function known({ text, matchesText }: LiveFilter, upTo: number): Promise<Iterable<number>> {
    if (matchesText === undefined) return [];
    if (text.query !== undefined) return index.matching(text.query, { upTo });
    if (text.near === undefined) return [];
    return (await index.similar(text.near, { upTo, limit: KNOWN_NEAR, threshold: NEAR_THRESHOLD })).hits.map((hit) => hit.seq);
  }

  return {
    filterOf,
    async open(question, from, given) {
      const filter = await filterOf(question);
      const { seq: latest } = await store.head();
      if (from !== undefined && from > latest)
        throw new Refusal("future_cursor", `\`Last-Event-ID\` is ${from}; the newest entry is ${latest}.`, {
          details: { latest_seq: latest },
        });
      const { since } = question.filters;
      const start = from ?? (since === undefined ? undefined : (await store.seqAt(momentMs(since, clock.now()))) - 1);
      const remembered = await known(filter, latest);
      return (sink) => {
        let stopped = false;
        let detach = () => {};
        const stop = (): void => {
          stopped = true;
          detach();
        };
        const run = async (): Promise<void> => {
          sink.control("hello", { seq: latest, resumed_from: from ?? null, filters: given }, start);
          let position = start ?? hub.position;
          const oldest = await store.oldestSeq();
          if (position + 1 < oldest) {
            sink.control("gap", { from: position + 1, to: oldest - 1 }, oldest - 1);
            position = oldest - 1;
          }
          for (;;) {
            if (stopped) return;
            // Same turn of the loop: nothing can be told between this look and the attachment.
            if (position === hub.position) {
              detach = hub.attach(filter, sink, remembered);
              sink.control("live", { seq: position }, position);
              return;
            }
            if (position > hub.position) {
              await hub.caughtUp(position);
              continue;
            }
            const entries = await store.entries(position, STEP, undefined);
            const heard = await occurrences(entries, occurrence, clock.now(), filter.usesVotes);
            // Whose words are gone by now may have matched then: its end is told rather than lost.
            const events = heard.filter((one) => filter.concerns(one, () => true)).map((one) => one.event);
            if (events.length > 0) sink.deliver(events);
            position = entries.at(-1)?.seq ?? position;
            if (!(await sink.ready())) return;
          }
        };
        return { stop, done: run() };
      };
    },
  };
}
