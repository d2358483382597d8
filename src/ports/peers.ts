// Small messages between the nodes of one board, beside the log. They arrive soon; losing one does no harm.

export interface Peers {
  /** At most a few thousand characters. */
  tell(text: string): Promise<void>;
  /** Called with messages of other nodes, never with one's own. */
  onTold(hear: (text: string) => void): void;
}
