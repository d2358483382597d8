// Queries about agents.

export interface AgentPosition {
  readonly lastSeen: number;
  readonly id: string;
}

/** Agents, last active first. */
export interface AgentQuery {
  readonly activeSince: number;
  /** Agents with a live message that offers any of these; all agents if empty. */
  readonly offers: readonly string[];
  readonly needs: readonly string[];
  readonly after: AgentPosition | undefined;
  readonly limit: number;
  readonly now: number;
}

/** The names of an agent. */
export interface NamedAgent {
  readonly agent: string;
  /** The first of its live aliases. */
  readonly alias: string | null;
  /** The seq of its newest live profile. */
  readonly profile: number | null;
}
