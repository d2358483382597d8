// The streams and long polls that callers have open at the same time.
import { Refusal } from "../../core/errors.ts";
import { Held } from "./held-per-caller.ts";

export class OpenCalls {
  readonly #open: Held;

  /** `atOnce`: the limit of one address. */
  constructor(atOnce: number) {
    this.#open = new Held(atOnce);
  }

  /** Counts one more call of a caller; the returned function ends it. */
  enter(caller: string): () => void {
    const over = this.#open.over(caller);
    if (over !== undefined)
      throw new Refusal("too_many_streams", `This ${over.who} has ${over.held} streams and long polls open; ${over.most} are allowed.`, {
        details: { at_once: over.most },
      });
    return this.#open.add(caller);
  }
}
