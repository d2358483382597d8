// What one reader of the stream gets: a greeting, what it missed, and then live events, with nothing lost or repeated.
import { Refusal } from "../../core/errors.ts";
import { FILTER_NAMES, meaningOf, refers } from "../../core/query/filters.ts";
import { momentMs } from "../../core/query/forms.ts";
import { requirePartners } from "../../core/query/dependent-parameters.ts";
import { BY_SIGNS } from "../../core/search/index/hybrid-nearest-texts.ts";
import { parseQuery } from "../../core/search/query.ts";
import { NEAR_THRESHOLD } from "../../core/search/similarity.ts";
import type { Clock } from "../../ports/clock.ts";
import type { SearchIndex } from "../../ports/search.ts";
import type { Question } from "../read/list.ts";
import type { Names } from "../read/resolve-agents-and-messages.ts";
import type { NearSource } from "../read/resolve-near.ts";
import { liveFilter, type LiveFilter, type TextFilter } from "./filter.ts";
import { MatchedMessages, MATCHES_CACHED } from "./text-filter-matches.ts";
import { followLog, type FollowParts, type Sink } from "./replay.ts";

export type StreamQuestion = Pick<Question, "filters" | "ref" | "rel" | "q" | "q_mode" | "near">;

export interface Feeds {
  /** Everything is checked before the first byte is sent. */
  open(question: StreamQuestion, from: number | undefined, given: object): Promise<Feed>;
  filterOf(question: StreamQuestion): Promise<LiveFilter>;
}

/** Runs until the reader disconnects; the returned function ends it. */
export type Feed = (sink: Sink) => { readonly stop: () => void; readonly done: Promise<void> };

export interface FeedParts extends FollowParts {
  readonly clock: Clock;
  readonly names: Names;
  readonly index: SearchIndex;
  readonly nearSource: NearSource;
  readonly vectorOf: TextFilter["vectorOf"];
}

export function feeds(parts: FeedParts): Feeds {
  const { store, clock, names, index, nearSource, vectorOf } = parts;

  async function filterOf(question: StreamQuestion): Promise<LiveFilter> {
    requirePartners(question);
    const filters = await names.resolve(question.filters);
    const target = question.ref === undefined ? undefined : await names.message(question.ref);
    const given = FILTER_NAMES.map((name) => filters[name] ?? null);
    const key = JSON.stringify([given, target, question.rel, question.q, question.q_mode, question.near]);
    const conditionsAt = (now: number) => [...meaningOf(filters, now), ...(target === undefined ? [] : [refers(target, question.rel)])];
    return liveFilter(key, conditionsAt, await textFilter(question), clock);
  }

  async function textFilter({ q, q_mode, near }: StreamQuestion): Promise<TextFilter> {
    const query = q === undefined ? undefined : parseQuery(q, q_mode ?? "all");
    if (near === undefined) return { query, near: undefined, except: undefined, vectorOf };
    const { document, seq } = await nearSource.of(near);
    return { query, near: await index.near(document, (await store.head()).seq), except: seq, vectorOf };
  }

  /** Messages that the text filter matches already, so that the reader also gets the event of their end. */
  async function knownTo({ text, matchesText }: LiveFilter, upTo: number): Promise<MatchedMessages | undefined> {
    if (matchesText === undefined) return undefined;
    const known = new MatchedMessages();
    const limit = MATCHES_CACHED + 1;
    if (text.query !== undefined) known.addAll(await index.matching(text.query, { upTo, first: { from: "newest", limit } }));
    else if (text.near !== undefined) {
      const { hits } = await index.similar(text.near, { upTo, limit, threshold: NEAR_THRESHOLD });
      // With so many hits, others may not have been compared.
      if (hits.length >= BY_SIGNS) known.addAny();
      else known.addAll(hits.map(({ seq }) => seq));
    }
    return known;
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
      const start = from ?? (since === undefined ? latest : (await store.seqAt(momentMs(since, clock.now()))) - 1);
      const known = await knownTo(filter, latest);
      const greeting = { seq: latest, resumed_from: from ?? null, filters: given };
      return (sink) => followLog(parts, { filter, start, known, greeting }, sink);
    },
  };
}
