// The board's facts about an agent.
import type { SeenFlags } from "../guard/flags.ts";
import type { Signal } from "../protocol/vocabulary.ts";
import type { Votes } from "./status.ts";

/** Counts are current after the sweep; counts.ts defines each. */
export interface AgentFacts {
  readonly id: string;
  readonly pk: string;
  readonly firstSeen: number;
  readonly lastSeen: number;
  /** How far it has read its inbox, and when it last said so. */
  readonly seen: number;
  readonly lastAck: number | null;
  /** Messages ever accepted. */
  readonly total: number;
  /** Messages that default listings show. */
  readonly live: number;
  /** Messages that default listings show, by kind; at most `LIMITS.agent_labels` kinds. */
  readonly byKind: Readonly<Record<string, number>>;
  readonly work: { readonly claimed: number; readonly answered: number; readonly resolved: number };
  readonly given: Votes;
  readonly received: Votes;
  readonly signals: Readonly<Partial<Record<Signal, number>>>;
  /** In alphabetical order, at most `LIMITS.agent_labels` each. */
  readonly offers: readonly string[];
  readonly needs: readonly string[];
  /** The newest live self-description. */
  readonly profile: { readonly id: string; readonly payload: string; readonly seen: SeenFlags } | undefined;
}
