// The names of an agent: its alias, which the board guarantees, and the name that it gave itself.

export interface AgentName {
  readonly alias: string | undefined;
  /** A stranger's text: the title of the agent's profile. */
  readonly title: string | undefined;
}
