// Lets the board look at the same long texts again and again: acknowledgements that each name many of them, while streams filter by text.
import { setTimeout as pause } from "node:timers/promises";
import { Agent } from "../../test/support/agent.ts";
import { quantile } from "../support/memory-and-quantiles.ts";
import type { Attack } from "./attack.ts";
import { ABUSE_BITS, BOUGHT_BITS } from "./attacked-board-flags.ts";
import { type Ask, Caller, JSON_TYPE, type Pace } from "./caller.ts";
import { posting, sealed } from "./sealed-posts.ts";

/** A message reaches the authors of all messages that it replies to. */
const READERS = 16;
/** With more of them, nothing would be left of what an address may write at once, and acknowledgements are written too. */
const LONG = 40;
const WORDS = 8000;
const STREAMS = 4;
/** Each takes a whole token until it is answered; in 30 s, these are all that the keys and the bytes of the address allow. */
const ACKS: Pace = { burst: 50, perSecond: 9 };
const LATE_MS = 250;
const HONEST = { reader: "127.0.0.10", poster: "127.0.0.11", agents: 24, perSecond: 4 };

const agentsOf = (count: number): readonly Agent[] => Array.from({ length: count }, () => new Agent());

/** Of three letters or digits, other ones in each text: copies by many keys are refused. */
const wordsOf = (text: number): string =>
  Array.from({ length: WORDS }, (_, i) => ((text * 977 + i * 5) % 36 ** 3).toString(36).padStart(3, "0")).join(" ");

async function postAll(caller: Caller, bodies: readonly string[]): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const body of bodies) {
    const { status, text } = await caller.ask(posting(body));
    if (status !== "201") throw new Error(`A post was answered with ${status}: ${text.slice(0, 200)}`);
    ids.push((JSON.parse(text) as { id: string }).id);
  }
  return ids;
}

function acknowledging(agent: Agent, board: string, acted: readonly string[]): Ask {
  const payload = JSON.stringify({ v: 1, pk: agent.pk, ts: Math.floor(Date.now() / 1000), board, op: "ack", acted });
  const body = JSON.stringify(agent.seal(payload, undefined, ABUSE_BITS + BOUGHT_BITS));
  return { method: "POST", path: "/api/acks", headers: JSON_TYPE, body };
}

/** Somebody else's stream, and how long after a post was acknowledged its event was there. */
class HonestStream {
  readonly #reader: Caller;
  readonly #poster: Caller;
  readonly #agents = agentsOf(HONEST.agents);
  readonly #tag = `seen-${Math.random().toString(36).slice(2)}`;
  readonly #heardAt = new Map<string, number>();

  constructor(port: number) {
    this.#reader = new Caller(port, HONEST.reader);
    this.#poster = new Caller(port, HONEST.poster);
  }

  async open(): Promise<void> {
    let text = "";
    await this.#reader.follow({ path: `/api/stream?tag=${this.#tag}` }, (piece) => {
      const frames = (text + piece).split("\n\n");
      text = frames.pop() ?? "";
      for (const frame of frames) {
        const id = /"id":"(?<id>[0-9a-f]{64})"/.exec(frame)?.groups?.["id"];
        if (id !== undefined) this.#heardAt.set(id, performance.now());
      }
    });
  }

  /** Milliseconds for each post. An event that has not come when all is over is as late as that. */
  async measure(seconds: number): Promise<readonly number[]> {
    const ready = Array.from({ length: HONEST.perSecond * seconds }, (_, i) =>
      sealed(this.#agents[i % HONEST.agents]!, { kind: "note", title: `seen ${i} ${Math.random()}`, tags: [this.#tag] }),
    );
    const posted: Promise<readonly [id: string, answeredAt: number]>[] = [];
    for (const body of ready) {
      posted.push(this.#post(body));
      await pause(1000 / HONEST.perSecond);
    }
    const all = await Promise.all(posted);
    await pause(2 * LATE_MS);
    const over = performance.now();
    this.#poster.leave();
    this.#reader.leave();
    return all.map(([id, answeredAt]) => Math.max(0, (this.#heardAt.get(id) ?? over) - answeredAt));
  }

  async #post(body: string): Promise<readonly [id: string, answeredAt: number]> {
    const { text } = await this.#poster.ask(posting(body));
    return [(JSON.parse(text) as { id: string }).id, performance.now()];
  }
}

export const ACKS_OF_LONG: Attack = {
  name: "acks",
  sends: `acknowledgements by ${READERS} keys, each of ${LONG} texts of ${WORDS.toLocaleString("en")} words, while ${STREAMS} streams look for words`,
  meets: { least: 50, of: ["201"] },
  begin: async ({ caller, seconds }) => {
    // Its answers are not those of the attack.
    const before = new Caller(caller.port, caller.address);
    const { board } = JSON.parse((await before.ask({ path: "/api/checkpoint" })).text) as { board: string };
    const [readers, authors] = [agentsOf(READERS), agentsOf(4)];
    const roots = await postAll(
      before,
      readers.map((one, i) => sealed(one, { kind: "note", title: `root ${i} ${Math.random()}` })),
    );
    const refs = roots.map((id) => ({ rel: "reply" as const, id }));
    const long = await postAll(
      before,
      Array.from({ length: LONG }, (_, i) =>
        sealed(authors[i % authors.length]!, { kind: "note", title: `long ${i}`, body: wordsOf(i), refs }),
      ),
    );
    before.leave();
    // The same ids in another order are another acknowledgement.
    const ready = Array.from({ length: Math.ceil(ACKS.burst + ACKS.perSecond * seconds) }, (_, i) => {
      const turn = Math.floor(i / READERS) % LONG;
      return acknowledging(readers[i % READERS]!, board, [...long.slice(turn), ...long.slice(0, turn)]);
    });
    const honest = new HonestStream(caller.port);
    await honest.open();
    for (let i = 0; i < STREAMS; i++) await caller.follow({ path: `/api/stream?q=zqx${i}` });
    return async () => {
      const [lateMs] = await Promise.all([honest.measure(seconds), caller.pace(ACKS, seconds, (i) => ready[i])]);
      return { events: lateMs.length, p99Ms: quantile(lateMs, 0.99) };
    };
  },
  judge: ({ notes: { events = 0, p99Ms = 0 } }) => [
    {
      held: p99Ms <= LATE_MS,
      isWait: true,
      words: `another's stream was ${p99Ms.toFixed(0)} ms behind (p99 of ${events}, ${LATE_MS} at most)`,
    },
  ],
};
