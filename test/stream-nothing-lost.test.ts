// Nothing lost, nothing repeated: readers that are dropped, boards that are killed, and crowds that arrive in the middle of a flood.
import { expect, test } from "vitest";
import { Agent, type Fields, TEST_BITS } from "./support/agent.ts";
import { type PostBody, TestBoard } from "./support/board.ts";
import { framesOf, openStream } from "./support/event-stream.ts";
import { eventually } from "./support/eventually.ts";
import { BoardProcess, emptyDirectory } from "./support/process.ts";

interface Change {
  readonly seq: number;
  readonly type: string;
  readonly id: string;
}

async function wholeLog(url: string): Promise<Change[]> {
  const log: Change[] = [];
  for (let more = true; more;) {
    const response = await fetch(`${url}/api/changes?after=${log.at(-1)?.seq ?? 0}&limit=1000`);
    const page = (await response.json()) as { changes: Change[]; more: boolean };
    log.push(...page.changes);
    ({ more } = page);
  }
  return log;
}

const EVENT_OF: Readonly<Record<string, string>> = {
  create: "message",
  status: "status",
  retract: "gone",
  supersede: "gone",
  expire: "gone",
};

/** Where a test reads the log it also says how the stream would tell it. */
const told = ({ seq, type, id }: Change): string => `${seq} ${EVENT_OF[type] ?? "nothing"} ${id}`;

/** Follows one filter through drops: reads on until told to stop, each time from the last id it has seen. */
class Follower {
  readonly got: string[] = [];
  readonly #path: string;
  #last: string | undefined = "0";
  #drop = new AbortController();
  #stopped = false;
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
        for await (const { event, id, data } of framesOf(response.body)) {
          if (event === "error") break;
          this.#last = id ?? this.#last;
          if (event === "message" || event === "status" || event === "gone") this.got.push(`${id} ${event} ${(data as { id: string }).id}`);
        }
      } catch (error) {
        // Dropped, or the board was killed; a refusal is neither.
        if (!(error instanceof TypeError) && (error as Error).name !== "AbortError") throw error;
      }
      this.drops++;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}

/** Posts, claims, answers and withdraws until it is told to stop; a board that is away is waited for. */
async function act(agent: Agent, url: () => string, going: () => boolean, taken: () => void = () => {}): Promise<void> {
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
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

test(
  "a reader that is dropped 50 times, also by a board that is killed 5 times, has the whole log at the end and nothing twice",
  { timeout: 240_000 },
  async () => {
    const data = emptyDirectory();
    const flags = ["--pow-bits", String(TEST_BITS), "--rate-limits", "off", "--log-level", "warn"];
    let board = await BoardProcess.serve(data, flags);
    const url = () => board.url;
    let going = true;
    let taken = 0;
    const posting = Array.from({ length: 3 }, () =>
      act(
        new Agent(),
        url,
        () => going,
        () => taken++,
      ),
    );
    const everything = new Follower("/api/stream");
    const even = new Follower("/api/stream?tag=even&kind=note");
    const followers = [everything, even];
    const following = followers.map((one) => one.follow(url));
    try {
      for (let kill = 1; kill <= 5; kill++) {
        for (let drop = 0; drop < 10; drop++) {
          await new Promise((resolve) => setTimeout(resolve, 20 + Math.random() * 60));
          for (const one of followers) one.drop();
        }
        await eventually("enough that could be lost", () => (taken >= kill * 25 ? true : undefined));
        await board.kill("SIGKILL");
        board = await BoardProcess.serve(data, flags);
      }
      await new Promise((resolve) => setTimeout(resolve, 200));
      going = false;
      await Promise.all(posting);
      const log = await wholeLog(board.url);
      const head = log.at(-1)?.seq ?? 0;
      // A filter that the last entries do not concern hears nothing of them; who comes back is told where the log stands.
      for (const one of followers) one.drop();
      await eventually("both readers at the head", () => (followers.every((one) => one.last >= head) ? true : undefined));
      for (const one of followers) one.stop();
      await Promise.all(following);
      expect(log.length).toBeGreaterThan(100);
      expect(everything.drops).toBeGreaterThanOrEqual(50);
      expect(everything.got).toEqual(log.map(told));
      const notes = await Promise.all(
        log
          .filter(({ type }) => type === "create")
          .map(async ({ id }) => (await (await fetch(`${board.url}/api/messages/${id}`)).json()) as PostBody),
      );
      const matching = notes
        .filter(({ meta }) => meta.kind === "note" && meta.tags.includes("even"))
        .map(({ id, seq }) => `${seq} message ${id}`);
      expect(even.got).toEqual(matching);
    } finally {
      going = false;
      for (const one of followers) one.stop();
      await Promise.allSettled([...posting, ...following]);
      await board[Symbol.asyncDispose]();
    }
  },
);

test(
  "readers that arrive in the middle of a flood miss nothing and hear nothing twice, wherever they start",
  { timeout: 120_000 },
  async () => {
    await using board = await TestBoard.start();
    let going = true;
    const posting = Array.from({ length: 4 }, () =>
      act(
        board.agent(),
        () => board.url,
        () => going,
      ),
    );
    const readers: { from: number; got: number[]; close: () => PromiseLike<void>; reading: Promise<void> }[] = [];
    for (let i = 0; i < 60; i++) {
      const { latest_seq: head } = (await board.get<{ latest_seq: number }>("/api/messages?limit=1")).body;
      const fresh = i % 3 === 0;
      const from = i % 3 === 1 ? Math.max(0, head - 20) : head;
      const stream = await openStream(board, "/api/stream", fresh ? {} : { "last-event-id": String(from) });
      const hello = await stream.next("hello");
      const one = {
        from: fresh ? (hello.data as { seq: number }).seq : from,
        got: [] as number[],
        close: () => stream[Symbol.asyncDispose](),
        reading: Promise.resolve(),
      };
      one.reading = (async () => {
        for (let frame = await stream.take(); frame !== undefined; frame = await stream.take())
          if (frame.event !== "live") one.got.push(Number(frame.id));
      })().catch(() => {});
      readers.push(one);
    }
    going = false;
    await Promise.all(posting);
    const { latest_seq: head } = (await board.get<{ latest_seq: number }>("/api/messages?limit=1")).body;
    await eventually("every reader at the head", () =>
      readers.every(({ got, from }) => from === head || got.at(-1) === head) ? true : undefined,
    );
    for (const { from, got, close, reading } of readers) {
      expect(got).toEqual(Array.from({ length: head - from }, (_, i) => from + 1 + i));
      await close();
      await reading;
    }
  },
);
