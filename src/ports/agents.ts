// What a store can be asked about agents.

export interface AgentPosition {
  readonly lastSeen: number;
  readonly id: string;
}

/** Agents, last active first. */
export interface AgentQuery {
  readonly activeSince: number;
  /** With a live message that offers any of these; all agents where empty. */
  readonly offers: readonly string[];
  readonly needs: readonly string[];
  readonly after: AgentPosition | undefined;
  readonly limit: number;
  readonly now: number;
}

/** What an agent may be called by. */
export interface NamedAgent {
  readonly agent: string;
  /** The first of its live aliases. */
  readonly alias: string | null;
  /** The seq of its newest live self-description. */
  readonly profile: number | null;
}
