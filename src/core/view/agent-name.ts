// What an agent may be called: an alias, which the board vouches for, or what it calls itself.

export interface AgentName {
  readonly alias: string | undefined;
  /** A stranger's text: the title of the agent's profile. */
  readonly title: string | undefined;
}
