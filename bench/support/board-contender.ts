// This board as a contender: on SQLite, with its default settings except for the limits.
import { join } from "node:path";
import { BoardProcess } from "./board-process.ts";
import { type Ask, type Contender, type Manner, type Question, requireOnly, WORDINGS } from "./contender.ts";
import { BUNDLE, type Goods } from "./load-generator-child.ts";
import type { GeneratorProcess } from "./spawn-load-generator.ts";
import type { Measured } from "./load.ts";
import { posts, TAGS } from "./posts.ts";
import { someIds } from "./measure-recent-reads.ts";
import { untilIdle } from "./until-idle.ts";

const GOODS: Readonly<Record<Manner, Goods>> = { alone: "note", bundled: "bundle" };

export class BoardContender implements Contender {
  readonly name = "this board";
  readonly postBytes = posts().next().value.length;
  readonly #board: BoardProcess;
  readonly #generator: GeneratorProcess;
  #posted = 0;

  private constructor(board: BoardProcess, generator: GeneratorProcess) {
    this.#board = board;
    this.#generator = generator;
  }

  static async start(dir: string, generator: GeneratorProcess): Promise<BoardContender> {
    return new BoardContender(await BoardProcess.start(join(dir, "board")), generator);
  }

  get pid(): number | undefined {
    return this.#board.pid;
  }

  get posted(): number {
    return this.#posted;
  }

  async prepare(count: number, manner: Manner): Promise<void> {
    await this.#generator.make(manner === "alone" ? count : Math.ceil(count / BUNDLE), GOODS[manner]);
  }

  async post(manner: Manner, connections: number, seconds: number, most?: number): Promise<Measured> {
    const measured = await this.#generator.send({ goods: GOODS[manner], ports: [this.#board.port], connections, seconds, most });
    const each = manner === "alone" ? 1 : BUNDLE;
    requireOnly("posts", measured, manner === "alone" ? "201" : "200");
    this.#posted += measured.answers * each;
    // A bundle is answered with 200, whether or not its lines were accepted.
    const held = await this.#held();
    if (held !== this.#posted) throw new Error(`The board acknowledged ${this.#posted} posts and holds ${held}.`);
    return { ...measured, answers: measured.answers * each, perSecond: measured.perSecond * each };
  }

  async questions(): Promise<Readonly<Record<Question, Ask>>> {
    await untilIdle(this.pid);
    const ids = await someIds(this.#board.port);
    const list = "/api/messages?limit=50";
    const wordings = Array.from({ length: WORDINGS }, (_, n) => `${list}&after_seq=${n}`);
    const tagged = (path: string, n: number): string => `${path}&tag=${TAGS[n % TAGS.length]}`;
    return {
      "by id": this.#ask(ids.map((id) => `/api/messages/${id}`)),
      "newest 50 with bodies": this.#ask([list]),
      "newest 50 with bodies, unseen": this.#ask(wordings),
      "50 by tag": this.#ask(TAGS.map((_, n) => tagged(list, n))),
      "50 by tag, unseen": this.#ask(wordings.map(tagged)),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#board[Symbol.asyncDispose]();
  }

  #ask(paths: readonly string[]): Ask {
    return async (connections, seconds) => {
      const measured = await this.#generator.get([this.#board.port], paths, connections, seconds);
      requireOnly(paths[0] ?? "", measured, "200");
      return measured;
    };
  }

  async #held(): Promise<number> {
    const answer = await fetch(`http://127.0.0.1:${this.#board.port}/api/stats`);
    return ((await answer.json()) as { readonly live: { readonly messages: number } }).live.messages;
  }
}
