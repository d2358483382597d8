// Other work for an agent whose claim came too late: open, free to claim, and like what it does.
import { labelsOf } from "../../core/message/message-state.ts";
import { distinctLabels, foldLabel } from "../../core/protocol/labels.ts";
import type { Payload } from "../../core/protocol/payload.ts";
import { and, atLeast, oneOf } from "../../core/query/condition.ts";
import { ORDERS } from "../../core/query/order.ts";
import { displayTitle } from "../../core/view/record.ts";
import type { Clock } from "../../ports/clock.ts";
import type { StoredMessage, ListReads, MessageReads } from "../../ports/store.ts";
import { type Offered, offeredTo, startFor, type WorkStore } from "./offered-work.ts";

export interface Alternative {
  readonly id: string;
  readonly title: string;
  readonly needs: readonly string[];
  readonly untrusted: true;
}

/** For this agent, which wanted this work. */
export type FindAlternatives = (agent: string, wanted: string) => Promise<readonly Alternative[]>;

const SHOWN = 3;
/** The oldest so many are looked at, and so many of the agent's claims. */
const LOOKED_AT = 60;
const CLAIMS = 10;

const payloadOf = ({ raw }: StoredMessage): Payload => JSON.parse(raw.payload) as Payload;

export function alternativesFinder(store: WorkStore & Pick<ListReads & MessageReads, "findAll" | "agent">, clock: Clock): FindAlternatives {
  /** Its newest ones. */
  async function claimsOf(agent: string, now: number): Promise<readonly StoredMessage[]> {
    const condition = and(oneOf("author", [agent]), oneOf("kind", ["claim"]), atLeast("expiresAt", now + 1));
    const found = await store.list({ condition, order: ORDERS.new, after: undefined, limit: CLAIMS, removed: false, only: undefined });
    return found.flatMap((one) => ("card" in one ? [one.card] : []));
  }

  /** Tags and needs of the work that it wants and of what it claimed before, and what it offers. */
  async function skillsOf(agent: string, wanted: string, now: number): Promise<ReadonlySet<string>> {
    const claims = await claimsOf(agent, now);
    const targets = claims.flatMap((claim) => payloadOf(claim).refs ?? []).filter(({ rel }) => rel === "claims");
    const work = await store.findAll([wanted, ...targets.map(({ id }) => id)], now);
    const labels = [...work.values()].flatMap((one) => ("card" in one ? labelsOf(payloadOf(one.card)) : []));
    const { offers = [] } = (await store.agent(agent, now)) ?? {};
    return new Set([...labels.map(({ label }) => label), ...offers.map(foldLabel)]);
  }

  return async (agent, wanted) => {
    const now = clock.now();
    const [skills, open] = await Promise.all([
      skillsOf(agent, wanted, now),
      offeredTo(agent, now, store, undefined)({ conditions: [], order: ORDERS.old, after: undefined, limit: LOOKED_AT }),
    ]);
    const fit = ({ card }: Offered): number => labelsOf(payloadOf(card)).filter(({ label }) => skills.has(label)).length;
    const others = open.filter(({ card }) => card.standing.id !== wanted).map((one) => ({ ...one, fit: fit(one) }));
    // Of equals each agent starts at another: those who lost the same race are not sent into the next one.
    const start = startFor(agent, others)?.position.seq ?? 0;
    const isPassed = ({ position }: Offered): number => Number(position.seq < start);
    return others
      .sort((a, b) => b.fit - a.fit || isPassed(a) - isPassed(b) || a.position.seq - b.position.seq)
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
