// Names of agents on pages: an alias, which the board guarantees, or else the name they gave themselves.
import { BoundedCache } from "../../core/bounded-cache.ts";
import type { AgentName } from "../../core/view/agent-name.ts";
import { firstCodePoints } from "../../core/protocol/encoding.ts";
import type { Payload } from "../../core/protocol/payload.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ListReads } from "../../ports/store.ts";
import { storedAt } from "./stored-messages.ts";

export type NameAgents = (agents: readonly string[]) => Promise<ReadonlyMap<string, AgentName>>;

const TITLES_KEPT = 20_000;
const NAME_CHARS = 32;

export function agentNamer({ lists, clock }: { readonly lists: ListReads; readonly clock: Clock }): NameAgents {
  /** By the seq of the profile, whose text never changes. */
  const titles = new BoundedCache<number, string>(TITLES_KEPT);
  return async (agents) => {
    const now = clock.now();
    const found = await lists.agentNames(agents, now);
    const unread = found.flatMap(({ alias, profile }) => (alias === null && profile !== null && !titles.has(profile) ? [profile] : []));
    if (unread.length > 0) {
      const storedMessages = await storedAt(lists, unread, now);
      for (const [seq, { raw }] of storedMessages) titles.set(seq, titleIn(raw.payload));
    }
    return new Map(
      found.map(({ agent, alias, profile }) => {
        const title = profile === null ? "" : (titles.get(profile) ?? "");
        return [agent, { alias: alias ?? undefined, title: title === "" ? undefined : title }];
      }),
    );
  };
}

/** Only the board writes an at sign in front: it marks an alias that the agent owns. */
function titleIn(payload: string): string {
  const { title = "" } = JSON.parse(payload) as Payload;
  const name = title.replaceAll(/\s+/g, " ").replace(/^[\s@＠﹫]+/u, "");
  return firstCodePoints(name.trim(), NAME_CHARS);
}
