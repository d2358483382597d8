// A stream reader that reconnects wherever it was cut off, an agent that posts for it, and the events that it should receive.
import { setTimeout as pause } from "node:timers/promises";
import type { Agent, Fields } from "./agent.ts";
import type { PostBody } from "./board.ts";
import type { Change } from "./chain.ts";
import { framesOf } from "./event-stream.ts";
import { eventually } from "./eventually.ts";

/** The pause between two attempts to reach a board; the number of attempts is not limited. */
const PAUSE_MS = 5;

const EVENT_OF: Readonly<Record<string, string>> = {
  create: "message",
  status: "status",
  retract: "gone",
  supersede: "gone",
  expire: "gone",
};

/** How the stream would report an entry of the log. */
export const eventText = ({ seq, type, id }: Change): string => `${seq} ${EVENT_OF[type] ?? "nothing"} ${id}`;

/** Follows one filter across disconnections: reads until it is stopped, each time from the last id that it has seen. */
export class Follower {
  readonly got: string[] = [];
  readonly #path: string;
  #last: string | undefined = "0";
  #drop = new AbortController();
  #stopped = false;
  #open = false;
  /** How often an open stream was cut off. A board that was down cuts off nothing. */
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
  /** Does not drop a connection that is still being opened: otherwise it would never read anything. */
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
        // It was dropped, or the board was killed; a refusal is neither.
        if (!(error instanceof TypeError) && (error as Error).name !== "AbortError") throw error;
      }
      if (this.#open) this.drops++;
      this.#open = false;
      // If the board is down, tries again after a pause, so that others get their turn.
      await pause(PAUSE_MS);
    }
  }
}

/** Cuts off each of them this many times more. */
export async function dropAll(followers: readonly Follower[], times: number): Promise<void> {
  const least = (): number => Math.min(...followers.map((one) => one.drops));
  const enough = least() + times;
  await eventually(`${times} more drops`, () => {
    for (const one of followers) one.dropIfOpen();
    return least() >= enough ? true : undefined;
  });
}

/** Posts, claims, answers and withdraws until it is stopped; waits if the board is down. */
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
