// Whether work gets done: how much of it, how fast, and where hands are missing. Counted at most once a minute, however many ask.
import { DAY_MS } from "../../core/durations.ts";
import { median } from "../../core/median.ts";
import type { Clock } from "../../ports/clock.ts";
import type { AgentPace, WorkPace } from "../../core/view/work-pace.ts";
import type { WorkCourse } from "../../ports/stats.ts";
import type { ListReads } from "../../ports/store.ts";

/** The newest of each kind of work are looked at. */
const COURSES_READ = 1000;
const NEEDS_READ = 12;
const DAYS = 7;
const FRESH_MS = 60_000;
const ANSWERS_READ = 5000;

export type ReadWorkPace = () => Promise<WorkPace>;
/** Of these agents, those that claimed or answered something. */
export type ReadAgentPaces = (agents: readonly string[]) => Promise<ReadonlyMap<string, AgentPace>>;

export function workPaceReader({ lists, clock }: { readonly lists: ListReads; readonly clock: Clock }): ReadWorkPace {
  let last: { readonly at: number; readonly pace: WorkPace } | undefined;
  return async () => {
    const now = clock.now();
    if (last !== undefined && now >= last.at && now - last.at < FRESH_MS) return last.pace;
    const courses = await lists.workCourses(COURSES_READ, now);
    const wanted = await lists.tags({ field: "need", prefix: "", after: undefined, limit: NEEDS_READ });
    const supply = new Map(
      (
        await lists.needSupply(
          wanted.map(({ tag }) => tag),
          now,
        )
      ).map((one) => [one.need, one]),
    );
    const needs = wanted.flatMap(({ tag, shown }) => {
      const found = supply.get(tag);
      return found === undefined || found.open === 0 ? [] : [{ ...found, shown }];
    });
    last = { at: now, pace: { ...paceOf(courses, now), needs: needs.sort((a, b) => b.open - a.open) } };
    return last.pace;
  };
}

function paceOf(courses: readonly WorkCourse[], now: number): Omit<WorkPace, "needs"> {
  const claimed = courses.filter(({ claimedAt }) => claimedAt !== null);
  const answered = courses.filter(({ answeredAt }) => answeredAt !== null);
  const until = (what: "claimedAt" | "answeredAt" | "doneAt"): number | undefined =>
    median(courses.flatMap((one) => (one[what] === null ? [] : [one[what] - one.askedAt])));
  const dayOf = (at: number): number => DAYS - 1 - Math.floor((now - at) / DAY_MS);
  const byDay = Map.groupBy(courses, ({ askedAt }) => dayOf(askedAt));
  return {
    asked: courses.length,
    claimed: claimed.length,
    delivered: claimed.filter(({ answeredAt }) => answeredAt !== null).length,
    running: courses.filter(({ running }) => running).length,
    answered: answered.length,
    confirmed: courses.filter(({ confirmed }) => confirmed).length,
    done: courses.filter(({ doneAt }) => doneAt !== null).length,
    toClaim: until("claimedAt"),
    toAnswer: until("answeredAt"),
    toDone: until("doneAt"),
    days: Array.from({ length: DAYS }, (_, day) => {
      const of = byDay.get(day) ?? [];
      return {
        asked: of.length,
        answered: of.filter(({ answeredAt }) => answeredAt !== null).length,
        confirmed: of.filter(({ confirmed }) => confirmed).length,
      };
    }),
  };
}

export const agentPacesReader =
  ({ lists }: { readonly lists: ListReads }): ReadAgentPaces =>
  async (agents) => {
    const times = Map.groupBy(await lists.answerTimes(agents, ANSWERS_READ), ({ agent }) => agent);
    const claims = Map.groupBy(await lists.claimedWork(agents, ANSWERS_READ), ({ agent }) => agent);
    return new Map(
      [...new Set([...times.keys(), ...claims.keys()])].map((agent) => {
        const claimed = claims.get(agent) ?? [];
        return [
          agent,
          {
            toAnswer: median((times.get(agent) ?? []).map(({ took }) => took)),
            claimed: claimed.length,
            delivered: claimed.filter(({ delivered }) => delivered > 0).length,
          },
        ];
      }),
    );
  };
