// Other work for an agent whose claim came too late: open, free to claim, and like what it does.
import { labelsOf } from "../core/message/standing.ts";
import { distinctLabels, foldLabel } from "../core/protocol/labels.ts";
import type { Payload } from "../core/protocol/payload.ts";
import { and, atLeast, type Condition, flagIs, oneOf, or } from "../core/query/condition.ts";
import { ORDERS } from "../core/query/order.ts";
import { displayTitle } from "../core/view/record.ts";
import type { Clock } from "../ports/clock.ts";
import type { Card, Store } from "../ports/store.ts";
import { openWork } from "./work.ts";

export interface Alternative {
  readonly id: string;
  readonly title: string;
  readonly needs: readonly string[];
  readonly untrusted: true;
}

/** For this agent, which wanted this work. */
export type FindAlternatives = (agent: string, wanted: string) => Promise<readonly Alternative[]>;

const SHOWN = 3;
/** The newest so many are looked at, and so many of the agent's claims. */
const LOOKED_AT = 60;
const CLAIMS = 10;

const payloadOf = ({ raw }: Card): Payload => JSON.parse(raw.payload) as Payload;

export function alternativesFinder(store: Pick<Store, "list" | "findAll" | "agent" | "barredWork">, clock: Clock): FindAlternatives {
  const cards = async (limit: number, ...conditions: readonly Condition[]): Promise<readonly Card[]> => {
    const found = await store.list({
      condition: and(...conditions),
      order: ORDERS.new,
      after: undefined,
      limit,
      removed: false,
      only: undefined,
    });
    return found.flatMap((one) => ("card" in one ? [one.card] : []));
  };

  /** Tags and needs of the work that it wants and of what it claimed before, and what it offers. */
  async function skillsOf(agent: string, wanted: string, now: number): Promise<ReadonlySet<string>> {
    const claims = await cards(CLAIMS, oneOf("author", [agent]), oneOf("kind", ["claim"]), atLeast("expiresAt", now + 1));
    const targets = claims.flatMap((claim) => payloadOf(claim).refs ?? []).filter(({ rel }) => rel === "claims");
    const work = await store.findAll([wanted, ...targets.map(({ id }) => id)], now);
    const labels = [...work.values()].flatMap((one) => ("card" in one ? labelsOf(payloadOf(one.card)) : []));
    const { offers = [] } = (await store.agent(agent, now)) ?? {};
    return new Set([...labels.map(({ label }) => label), ...offers.map(foldLabel)]);
  }

  return async (agent, wanted) => {
    const now = clock.now();
    const free = or(flagIs("addressed", false), oneOf("to", [agent]));
    const [skills, open, barred] = await Promise.all([
      skillsOf(agent, wanted, now),
      cards(LOOKED_AT, ...openWork(now), free),
      store.barredWork(agent, now),
    ]);
    const fit = (card: Card): number => labelsOf(payloadOf(card)).filter(({ label }) => skills.has(label)).length;
    return open
      .filter(({ standing }) => standing.id !== wanted && !barred.includes(standing.seq))
      .map((card) => ({ card, fit: fit(card) }))
      .sort((a, b) => b.fit - a.fit || b.card.standing.seq - a.card.standing.seq)
      .slice(0, SHOWN)
      .map(({ card }) => {
        const payload = payloadOf(card);
        return {
          id: card.standing.id,
          title: displayTitle(payload, card.standing.author),
          needs: distinctLabels(payload.needs ?? []),
          untrusted: true,
        };
      });
  };
}
