// What the nodes of one board tell each other beside the log: small, soon, and no harm where it is lost.

export interface Peers {
  /** At most a few thousand characters. */
  tell(text: string): Promise<void>;
  /** What other nodes tell; never one's own words. */
  onTold(hear: (text: string) => void): void;
}
