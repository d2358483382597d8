// The messages that a text filter has matched, up to a limit: beyond it, the end of every message is sent, so that none is lost.

/** Above this number, nothing is remembered. It does no harm to send the end of a message that the reader never got. */
export const MATCHES_CACHED = 20_000;

export class MatchedMessages {
  #messages: Set<number> | undefined = new Set();

  has(message: number): boolean {
    return this.#messages?.has(message) ?? true;
  }

  add(message: number): void {
    this.#messages?.add(message);
    if ((this.#messages?.size ?? 0) > MATCHES_CACHED) this.#messages = undefined;
  }

  addAll(messages: Iterable<number>): void {
    for (const message of messages) this.add(message);
  }

  /** For when it is not known which have matched. */
  addAny(): void {
    this.#messages = undefined;
  }

  delete(message: number): void {
    this.#messages?.delete(message);
  }

  /** Adds everything that the other one has. */
  absorb(other: MatchedMessages): void {
    if (other.#messages === undefined) this.#messages = undefined;
    else this.addAll(other.#messages);
  }
}
