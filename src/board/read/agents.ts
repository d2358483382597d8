// The directory of agents: one by its id, or the recently active ones.
import { z } from "zod";
import { Refusal } from "../../core/errors.ts";
import type { AgentFacts } from "../../core/message/agent-facts.ts";
import { cutPage } from "../../core/query/cursor.ts";
import type { ReaderParts } from "./reader-parts.ts";

export interface AgentsQuestion {
  readonly activeWithinS: number;
  readonly offers: readonly string[];
  readonly needs: readonly string[];
  readonly limit: number;
  readonly cursor: string | undefined;
  /** Everything that must stay the same while paging. */
  readonly fingerprint: string;
}

export interface Directory {
  readonly find: (agent: string) => Promise<AgentFacts>;
  readonly list: (question: AgentsQuestion) => Promise<{ readonly agents: readonly AgentFacts[]; readonly nextCursor: string | null }>;
}

const positionForm = z.strictObject({ lastSeen: z.number(), id: z.string() });

export function directory({ lists, clock, cursors }: Pick<ReaderParts, "lists" | "clock" | "cursors">): Directory {
  return {
    async find(agent) {
      const facts = await lists.agent(agent, clock.now());
      if (facts === undefined) throw new Refusal("agent_unknown", `No message of ${agent} was seen here.`);
      return facts;
    },
    async list({ activeWithinS, offers, needs, limit, cursor, fingerprint }) {
      const now = clock.now();
      const after = cursors.decode(fingerprint, cursor, positionForm);
      const found = await lists.agents({ activeSince: now - activeWithinS * 1000, offers, needs, after, limit: limit + 1, now });
      const { page: agents, next: nextCursor } = cutPage(found, limit, ({ lastSeen, id }) => cursors.encode(fingerprint, { lastSeen, id }));
      return { agents, nextCursor };
    },
  };
}
