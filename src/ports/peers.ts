// Small messages between the nodes of one board, beside the log. They arrive soon; losing one does no harm.

export interface Peers {
  /** A JSON list of objects, each with a `scope` that says which part of a node it is for; at most a few thousand characters. */
  broadcast(text: string): Promise<void>;
  /** Called with messages of other nodes, never with one's own. */
  onMessage(listener: (text: string) => void): void;
}
