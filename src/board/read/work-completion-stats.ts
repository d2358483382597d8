// Whether work gets done: how much, how fast, and which skills are missing. Computed at most once a minute, however many callers ask.
import { DAY_MS, MINUTE_MS } from "../../core/durations.ts";
import { median } from "../../core/median.ts";
import type { AgentPace, OpenNeed, WorkPace } from "../../core/view/work-pace.ts";
import type { NeedSupply, WorkCourse } from "../../ports/stats.ts";
import { freshAnswer } from "./fresh-answer.ts";
import type { ReaderParts } from "./reader-parts.ts";

/** Only the newest work of each kind is counted. */
const COURSES_READ = 1000;
const NEEDS_READ = 24;
const DAYS = 7;
const ANSWERS_READ = 5000;

export type ReadWorkPace = () => Promise<WorkPace>;
/** What open work needs, the most wanted first. */
export type ReadOpenNeeds = () => Promise<readonly OpenNeed[]>;
/** The pace of each of these agents that claimed or answered something. */
export type ReadAgentPaces = (agents: readonly string[]) => Promise<ReadonlyMap<string, AgentPace>>;

type PaceParts = Pick<ReaderParts, "lists" | "clock">;

export function workPaceReader({ lists, clock }: PaceParts): ReadWorkPace {
  const cached = freshAnswer<WorkPace>(clock, MINUTE_MS);
  return () => cached("", async (now) => paceOf(await lists.workCourses(COURSES_READ, now), now));
}

/** Which words are in use is read each time: a word that was withdrawn is gone at once. */
export function openNeedsReader({ lists, clock }: PaceParts): ReadOpenNeeds {
  const cached = freshAnswer<readonly NeedSupply[]>(clock, MINUTE_MS);
  return async () => {
    const wanted = await lists.tags({ field: "need", prefix: "", after: undefined, limit: NEEDS_READ });
    const tags = wanted.map(({ tag }) => tag).sort();
    const supply = new Map((await cached(tags.join(), (now) => lists.needSupply(tags, now))).map((one) => [one.need, one]));
    return wanted
      .flatMap(({ tag, shown }) => {
        const { open = 0, offering = 0 } = supply.get(tag) ?? {};
        return open === 0 ? [] : [{ shown, open, offering }];
      })
      .sort((a, b) => b.open - a.open);
  };
}

function paceOf(courses: readonly WorkCourse[], now: number): WorkPace {
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
  ({ lists }: Pick<ReaderParts, "lists">): ReadAgentPaces =>
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
