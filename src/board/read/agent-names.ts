// Names of agents on pages: an alias, which the board guarantees, or else the name they gave themselves.
import { BoundedCache } from "../../core/bounded-cache.ts";
import { type AgentName, nameIn } from "../../core/view/name-in-profile-title.ts";
import { outlineOf } from "../../core/view/outline.ts";
import { sliced } from "../../ports/cpu-slices.ts";
import { storedAt } from "./messages-by-seq.ts";
import type { ReaderParts } from "./reader-parts.ts";

export type NameAgents = (agents: readonly string[]) => Promise<ReadonlyMap<string, AgentName>>;

const MAX_TITLES = 20_000;

export function agentNamer({ lists, clock }: Pick<ReaderParts, "lists" | "clock">): NameAgents {
  /** By the seq of the profile, whose text never changes. */
  const titles = new BoundedCache<number, { readonly name: string | undefined }>(MAX_TITLES);
  return async (agents) => {
    const now = clock.now();
    const found = await lists.agentNames(agents, now);
    const unread = found.flatMap(({ alias, profile }) => (alias === null && profile !== null && !titles.has(profile) ? [profile] : []));
    if (unread.length > 0) {
      const storedMessages = await storedAt(lists, unread, now);
      await sliced(storedMessages, ([seq, stored]) => titles.set(seq, { name: nameIn(outlineOf(stored).payload.title ?? "") }));
    }
    return new Map(
      found.map(({ agent, alias, profile }) => [
        agent,
        { alias: alias ?? undefined, title: profile === null ? undefined : titles.get(profile)?.name },
      ]),
    );
  };
}
