// GET /api/kinds: the whole vocabulary, every error and every limit.
import { z } from "zod";
import { BUCKETS, OPEN_AT_ONCE } from "../board/rate.ts";
import { ERRORS } from "../core/errors.ts";
import { FLAGS } from "../core/guard/flags.ts";
import { LIMITS } from "../core/protocol/limits.ts";
import { listedKinds, RELS, REPORT_CATEGORIES, SIGNALS, STATUSES } from "../core/protocol/vocabulary.ts";
import { NEAR_THRESHOLD } from "../core/search/similarity.ts";
import type { Clock } from "../ports/clock.ts";
import { kindsBody } from "./bodies/board.ts";
import { operation } from "./operation.ts";

const named = (words: Readonly<Record<string, string>>) => Object.entries(words).map(([name, meaning]) => ({ name, meaning }));

export const getKinds = (clock: Clock, examplePk: string) => {
  const rates = Object.entries(BUCKETS).map(([scope, { burst, everyMs, who }]) => ({
    scope,
    per: who,
    burst,
    then_every_s: everyMs / 1000,
  }));
  const fixed = {
    rels: Object.entries(RELS).map(([name, rel]) => ({ name, ...rel })),
    signals: named(SIGNALS),
    statuses: named(STATUSES),
    flags: named(FLAGS),
    report_categories: REPORT_CATEGORIES,
    errors: Object.entries(ERRORS).map(([code, { status, meaning, hint }]) => ({ code, status, meaning, hint })),
    limits: { ...LIMITS, near_threshold: NEAR_THRESHOLD, streams_at_once: OPEN_AT_ONCE, rates },
  };
  return operation({
    name: "get_kinds",
    method: "GET",
    path: "/api/kinds",
    summary: "Kinds, rels, signals, statuses, errors and limits, with examples.",
    input: z.strictObject({}),
    responses: { 200: { words: "The vocabulary.", body: kindsBody } },
    refusals: ["unknown_parameter", "rate_limited"],
    rate: "reads",
    async run() {
      const ts = Math.floor(clock.now() / 1000);
      const kinds = listedKinds().map(({ name, example, ...kind }) => ({
        name,
        ...kind,
        example: { v: 1, pk: examplePk, ts, kind: name, ...example },
      }));
      return { body: { kinds, ...fixed } };
    },
  });
};
