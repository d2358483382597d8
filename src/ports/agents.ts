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
