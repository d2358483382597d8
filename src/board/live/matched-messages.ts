// Which messages a text filter has matched, within bounds: beyond them the end of any message is told rather than one lost.

/** More than this and nothing is remembered; ends of messages that nobody was told of are harmless. */
export const KNOWN_KEPT = 20_000;

export class MatchedMessages {
  #messages: Set<number> | undefined = new Set();

  has(message: number): boolean {
    return this.#messages?.has(message) ?? true;
  }

  add(message: number): void {
    this.#messages?.add(message);
    if ((this.#messages?.size ?? 0) > KNOWN_KEPT) this.#messages = undefined;
  }

  addAll(messages: Iterable<number>): void {
    for (const message of messages) this.add(message);
  }

  delete(message: number): void {
    this.#messages?.delete(message);
  }

  /** What another one knows, this one knows too. */
  absorb(other: MatchedMessages): void {
    if (other.#messages === undefined) this.#messages = undefined;
    else this.addAll(other.#messages);
  }
}
