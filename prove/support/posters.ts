// A load that runs until it is stopped, and records which posts were acknowledged and which were refused with what error.
import type { Envelope } from "../../src/core/protocol/envelope.ts";
import { Agent } from "../../test/support/agent.ts";
import { eventually } from "../../test/support/eventually.ts";
import { Tally } from "./tally.ts";

const PAUSE_MS = 20;

export class Posters {
  readonly acknowledged: Envelope[] = [];
  readonly refused = new Tally();
  readonly #lanes: Promise<unknown>;
  #going = true;

  /** `at` returns the address for the i-th post of a lane. */
  constructor(lanes: number, at: (i: number) => string, words = "") {
    this.#lanes = Promise.all(Array.from({ length: lanes }, (_, lane) => this.#post(lane, at, words)));
  }

  async #post(lane: number, at: (i: number) => string, words: string): Promise<void> {
    const agent = new Agent();
    let i = 0;
    while (this.#going) {
      const envelope = agent.envelope({ kind: "note", title: `lane ${lane}, ${i}`, ...(words === "" ? {} : { body: words }) });
      const refusal = await refusalOf(at(lane + i++), envelope);
      if (refusal === undefined) this.acknowledged.push(envelope);
      else {
        this.refused.add(refusal);
        // Without a pause, almost all posts would be refused.
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
    }
  }

  /** Waits until this many more posts are acknowledged. */
  async reach(more: number): Promise<void> {
    const goal = this.acknowledged.length + more;
    await eventually(`${Math.ceil(more)} more acknowledgements`, () => (this.acknowledged.length >= goal ? true : undefined));
  }

  async stop(): Promise<void> {
    this.#going = false;
    await this.#lanes;
  }

  /** A proof that fails must not continue to post. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}

/** Undefined if the post was accepted. */
export async function refusalOf(url: string, envelope: Envelope): Promise<string | undefined> {
  try {
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${url}/api/messages`, { method: "POST", headers, body: JSON.stringify(envelope) });
    const { error } = (await response.json()) as { error?: { code: string } };
    return error === undefined ? undefined : `${response.status} ${error.code}`;
  } catch {
    return "no answer";
  }
}
