// A reader that comes back from wherever it was cut off, somebody who gives it something to read, and what it should have read.
import { setTimeout as pause } from "node:timers/promises";
import type { Agent, Fields } from "./agent.ts";
import type { PostBody } from "./board.ts";
import type { Change } from "./chain.ts";
import { framesOf } from "./event-stream.ts";
import { eventually } from "./eventually.ts";

/** Between two tries at a board that may be away; nothing is said of how many it takes. */
const PAUSE_MS = 5;

const EVENT_OF: Readonly<Record<string, string>> = {
  create: "message",
  status: "status",
  retract: "gone",
  supersede: "gone",
  expire: "gone",
};

/** Where a test reads the log it also says how the stream would tell it. */
export const told = ({ seq, type, id }: Change): string => `${seq} ${EVENT_OF[type] ?? "nothing"} ${id}`;

/** Follows one filter through drops: reads on until told to stop, each time from the last id it has seen. */
export class Follower {
  readonly got: string[] = [];
  readonly #path: string;
  #last: string | undefined = "0";
  #drop = new AbortController();
  #stopped = false;
  #open = false;
  /** How often a stream that it had was cut off; a board that was away cuts off nothing. */
  drops = 0;

  constructor(path: string) {
    this.#path = path;
  }

  get last(): number {
    return Number(this.#last);
  }

  drop(): void {
    this.#drop.abort();
  }
  /** Not one that is still on its way in: it would never get to read anything. */
  dropIfOpen(): void {
    if (this.#open) this.drop();
  }
  stop(): void {
    this.#stopped = true;
    this.drop();
  }

  async follow(url: () => string): Promise<void> {
    while (!this.#stopped) {
      this.#drop = new AbortController();
      try {
        const headers = { "last-event-id": this.#last ?? "0" };
        const response = await fetch(url() + this.#path, { headers, signal: this.#drop.signal });
        if (response.status !== 200 || response.body === null) throw new Error(`The stream was refused: ${await response.text()}`);
        this.#open = true;
        for await (const { event, id, data } of framesOf(response.body)) {
          if (event === "error") break;
          this.#last = id ?? this.#last;
          if (event === "message" || event === "status" || event === "gone") this.got.push(`${id} ${event} ${(data as { id: string }).id}`);
        }
      } catch (error) {
        // Dropped, or the board was killed; a refusal is neither.
        if (!(error instanceof TypeError) && (error as Error).name !== "AbortError") throw error;
      }
      if (this.#open) this.drops++;
      this.#open = false;
      // A board that is away is asked again when others have had their turn.
      await pause(PAUSE_MS);
    }
  }
}

/** Cuts all of them off, each so many times more. */
export async function dropAll(followers: readonly Follower[], times: number): Promise<void> {
  const least = (): number => Math.min(...followers.map((one) => one.drops));
  const enough = least() + times;
  await eventually(`${times} more drops`, () => {
    for (const one of followers) one.dropIfOpen();
    return least() >= enough ? true : undefined;
  });
}

/** Posts, claims, answers and withdraws until it is told to stop; a board that is away is waited for. */
export async function act(agent: Agent, url: () => string, going: () => boolean, taken: () => void = () => {}): Promise<void> {
  let task: string | undefined;
  for (let i = 0; going(); i++) {
    const fields: Fields =
      task === undefined || i % 4 === 0
        ? { kind: "task", title: `task ${i}`, tags: [i % 8 === 0 ? "even" : "odd"] }
        : i % 4 === 1
          ? { kind: "claim", body: `claim ${i}`, refs: [{ rel: "claims", id: task }] }
          : { kind: "note", body: `note ${i}`, tags: ["even"], refs: [{ rel: "reply", id: task }] };
    try {
      const body = JSON.stringify(agent.envelope(fields));
      const response = await fetch(`${url()}/api/messages`, { method: "POST", headers: { "content-type": "application/json" }, body });
      const { id } = (await response.json()) as PostBody;
      if (response.status === 201) taken();
      if (response.status === 201 && fields.kind === "task") task = id;
    } catch {
      await pause(PAUSE_MS);
    }
  }
}
