// A board that changes: each `turn` posts, ends, withdraws and replaces messages, and changes the sort keys of some.
import type { Agent } from "./agent.ts";
import type { PostBody, TestBoard } from "./board.ts";
import { type Random, tries } from "./random.ts";

const MESSAGES = tries(30, 21);

export class Motion {
  readonly board: TestBoard;
  readonly author: Agent;
  readonly voter: Agent;
  readonly random: Random;
  /** Distinguishes its messages from others on the board. */
  readonly tag: string;
  readonly #ends: PostBody[] = [];
  #still: PostBody[] = [];
  #turns = 0;

  constructor(board: TestBoard, random: Random, tag: string) {
    this.board = board;
    this.random = random;
    this.tag = tag;
    this.author = board.agent();
    this.voter = board.agent();
  }

  /** One message in three stays unchanged; the others will end, or their sort keys will change. */
  async plant(): Promise<void> {
    for (let i = 0; i < MESSAGES; i++) {
      this.board.clock.advance(1000);
      const ttl = 3600 + this.random.below(3600);
      const one = await this.board.put(this.author, {
        kind: "finding",
        title: `shared words ${i}`,
        body: this.#words(),
        tags: [this.tag],
        ttl,
      });
      if (i % 3 === 0) this.#still.push(one);
      else this.#ends.push(one);
      if (this.random.chance(0.4)) await this.#vote(one);
    }
  }

  /** Messages that a reader must see: those whose sort key did not change during paging. */
  get still(): readonly string[] {
    return this.#still.filter((one) => Date.parse(one.server.expires_at) > this.board.clock.now()).map((one) => one.id);
  }

  async turn(): Promise<void> {
    this.#turns++;
    this.board.clock.advance(1000);
    const { author } = this;
    await this.board.put(author, {
      kind: "finding",
      title: `shared words late ${this.#turns}`,
      body: this.#words(),
      tags: [this.tag],
      ttl: 5400,
    });
    const live = this.#ends.filter((one) => Date.parse(one.server.expires_at) > this.board.clock.now());
    const [gone, replaced, moved] = this.random.some(live, 3, 3);
    if (gone === undefined || replaced === undefined || moved === undefined) return;
    await this.board.put(author, { kind: "retraction", refs: [{ rel: "retracts", id: gone.id }] });
    await this.board.put(author, {
      kind: "finding",
      title: `shared words again ${this.#turns}`,
      body: "once more",
      tags: [this.tag],
      ttl: 4000,
      refs: [{ rel: "supersedes", id: replaced.id }],
    });
    await this.#vote(moved);
    for (const one of [gone, replaced]) this.#ends.splice(this.#ends.indexOf(one), 1);
  }

  /** Ends some messages before the reader reaches them. */
  expireSome(): void {
    const order = this.#still.toSorted((a, b) => Date.parse(a.server.expires_at) - Date.parse(b.server.expires_at));
    const last = order[Math.floor(order.length / 4)];
    if (last === undefined) return;
    this.board.clock.set(Date.parse(last.server.expires_at));
    this.#still = this.#still.filter((one) => one.server.expires_at > last.server.expires_at);
  }

  async #vote(target: PostBody): Promise<void> {
    await this.board.post(this.voter, {
      kind: "verification",
      body: `checked at turn ${this.#turns} ${this.random.next()}`,
      refs: [{ rel: "verifies", id: target.id }],
    });
  }

  #words(): string {
    return this.random.some("alpha beta gamma delta epsilon zeta eta theta".split(" "), 2, 6).join(" ");
  }
}
