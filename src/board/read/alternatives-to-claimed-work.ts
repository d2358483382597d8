// Other work for an agent whose claim came too late: open, free to claim, and similar to its earlier work.
import { labelsOf } from "../../core/message/message-state.ts";
import { distinctLabels, foldLabel } from "../../core/protocol/tags-needs-offers.ts";
import type { Payload } from "../../core/protocol/payload.ts";
import { and, atLeast, oneOf } from "../../core/query/condition.ts";
import { ORDERS } from "../../core/query/order.ts";
import { outlineOf } from "../../core/view/outline.ts";
import { displayTitle } from "../../core/view/record.ts";
import type { Clock } from "../../ports/clock.ts";
import { mapInSlices } from "../../ports/cpu-slices.ts";
import { type StoredMessage, storedOf, type ListReads, type MessageReads } from "../../ports/store.ts";
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
/** This many of the oldest are considered, and this many of the agent's claims. */
const LOOKED_AT = 60;
const CLAIMS = 10;

/** In slices, because each of them may be long. */
const payloadsOf = (messages: readonly StoredMessage[]): Promise<Payload[]> => mapInSlices(messages, (stored) => outlineOf(stored).payload);

export function alternativesFinder(store: WorkStore & Pick<ListReads & MessageReads, "findAll" | "agent">, clock: Clock): FindAlternatives {
  /** The agent's newest claims. */
  async function claimsOf(agent: string, now: number): Promise<readonly StoredMessage[]> {
    const condition = and(oneOf("author", [agent]), oneOf("kind", ["claim"]), atLeast("expiresAt", now + 1));
    return storedOf(await store.list({ condition, order: ORDERS.new, limit: CLAIMS }));
  }

  /** Tags and needs of the wanted work and of earlier claims, and the agent's offers. */
  async function skillsOf(agent: string, wanted: string, now: number): Promise<ReadonlySet<string>> {
    const claims = await claimsOf(agent, now);
    const targets = (await payloadsOf(claims)).flatMap(({ refs = [] }) => refs).filter(({ rel }) => rel === "claims");
    const found = await store.findAll([wanted, ...targets.map(({ id }) => id)], now);
    const labels = (await payloadsOf(storedOf(found.values()))).flatMap(labelsOf);
    const { offers = [] } = (await store.agent(agent, now)) ?? {};
    return new Set([...labels.map(({ label }) => label), ...offers.map(foldLabel)]);
  }

  return async (agent, wanted) => {
    const now = clock.now();
    const [skills, open] = await Promise.all([
      skillsOf(agent, wanted, now),
      offeredTo(agent, now, store)({ conditions: [], order: ORDERS.old, limit: LOOKED_AT }),
    ]);
    const payloads = await payloadsOf(open.map(({ stored }) => stored));
    const fit = (payload: Payload): number => labelsOf(payload).filter(({ label }) => skills.has(label)).length;
    // Work is no alternative if it only needs skills that the agent has never shown.
    const isFitting = ({ needs = [] }: Payload): boolean => needs.length === 0 || needs.some((need) => skills.has(foldLabel(need)));
    const others = open
      .map((one, i) => ({ ...one, payload: payloads[i]!, fit: fit(payloads[i]!) }))
      .filter(({ stored, payload }) => stored.state.id !== wanted && isFitting(payload));
    // Among work that fits equally, each agent starts at a different piece, so that agents that lost the same race do not meet again in the
    // next.
    const start = startFor(agent, others)?.position.seq ?? 0;
    const isPassed = ({ position }: Offered): number => Number(position.seq < start);
    return others
      .sort((a, b) => b.fit - a.fit || isPassed(a) - isPassed(b) || a.position.seq - b.position.seq)
      .slice(0, SHOWN)
      .map(({ stored, payload }) => ({
        id: stored.state.id,
        title: displayTitle(payload, stored.state.author),
        needs: distinctLabels(payload.needs ?? []),
        untrusted: true,
      }));
  };
}
