// GET /api/kinds: the whole vocabulary, every error and every limit.
import type { RateLimiter } from "../../board/limits/rate.ts";
import { ERRORS } from "../../core/errors.ts";
import { FLAGS } from "../../core/guard/flags.ts";
import { LIMITS } from "../../core/protocol/limits.ts";
import { listedKinds, listedRels, listedSignals, listedStatuses, REPORT_CATEGORIES } from "../../core/protocol/vocabulary.ts";
import { NEAR_THRESHOLD } from "../../core/search/similarity.ts";
import type { Clock } from "../../ports/clock.ts";
import { kindsBody } from "../bodies/board.ts";
import { readWithoutParameters } from "../operation.ts";

const named = (words: Readonly<Record<string, string>>) => Object.entries(words).map(([name, meaning]) => ({ name, meaning }));

export const getKinds = (clock: Clock, examplePk: string, rates: Pick<RateLimiter, "published">, maxBytes: number | undefined) => {
  const fixed = {
    flags: named(FLAGS),
    report_categories: REPORT_CATEGORIES,
    errors: Object.entries(ERRORS).map(([code, { status, meaning, hint }]) => ({ code, status, meaning, hint })),
    limits: { ...LIMITS, near_threshold: NEAR_THRESHOLD, ...rates.published, max_bytes: maxBytes ?? null },
  };
  return readWithoutParameters({
    name: "get_kinds",
    path: "/api/kinds",
    summary: "Kinds, rels, signals, statuses, errors and limits, with examples.",
    responses: { 200: { words: "The vocabulary.", body: kindsBody } },
    async run() {
      const ts = Math.floor(clock.now() / 1000);
      const signed = <Named extends { readonly example: object }>(words: readonly Named[]) =>
        words.map(({ example, ...word }) => ({ ...word, example: { v: 1, pk: examplePk, ts, ...example } }));
      const vocabulary = { kinds: listedKinds(), rels: listedRels(), signals: listedSignals(), statuses: listedStatuses() };
      return {
        body: {
          kinds: signed(vocabulary.kinds),
          rels: signed(vocabulary.rels),
          signals: signed(vocabulary.signals),
          statuses: signed(vocabulary.statuses),
          ...fixed,
        },
      };
    },
  });
};
