// What agents do with their keys, at random, among all else: commit, rotate, revoke, delegate, veto, take over with a recovery key, and try what they may not.
import { DAY_MS, HOUR_MS } from "../../src/core/durations.ts";
import { Agent } from "../../test/support/agent.ts";
import type { TestBoard } from "../../test/support/board.ts";
import { hashOf, type KeyAct, signed, type With } from "../../test/support/key-stage.ts";
import type { Random } from "../../test/support/random.ts";

/** One agent as its owner sees it: the key that acts, and those that may follow it. */
interface Line {
  key: Agent;
  next: Agent;
  recovery: Agent;
  /** Keys that acted before, and that a thief may still try. */
  readonly former: Agent[];
}

export class KeyActs {
  readonly #board: TestBoard;
  readonly #random: Random;
  /** Who posts: a key that takes over takes the place of the one before. */
  readonly #agents: Agent[];
  readonly #lines: Line[];
  readonly #name: string;
  #second = 0;
  counted = 0;
  refused = 0;

  constructor(board: TestBoard, name: string, random: Random, agents: Agent[]) {
    this.#board = board;
    this.#name = name;
    this.#random = random;
    this.#agents = agents;
    this.#lines = agents.map((key) => ({ key, next: this.#fresh(), recovery: this.#fresh(), former: [] }));
  }

  #fresh(): Agent {
    return new Agent(() => this.#board.clock.now(), this.#random.bytes(32));
  }

  async act(): Promise<void> {
    const random = this.#random;
    // What waits counts after three days; whatever is on its way meanwhile is not too old when it comes.
    if (random.chance(0.5)) this.#board.clock.advance(HOUR_MS / 4);
    const at = random.below(this.#lines.length);
    const line = this.#lines[at]!;
    const draws = [
      () => this.#send(line.key, line.key, { op: "commit", next: hashOf(line.next), recovery: hashOf(line.recovery) }),
      () => this.#rotate(at, line.next),
      () => this.#rotate(at, line.next),
      () => this.#rotate(at, line.recovery),
      () => this.#rotate(at, this.#fresh(), line.key),
      () => this.#send(line.key, line.key, { op: "revoke", from: this.#unix() - random.below(DAY_MS / 1000) }),
      () => this.#delegate(line),
      () => this.#veto(line),
      // Whoever has none of the keys, or one that is over.
      () => this.#send(this.#fresh(), line.key, { op: "rotate" }),
      () => this.#send(random.pick([...line.former, line.key]), line.key, { op: "commit", next: hashOf(this.#fresh()) }),
    ];
    await random.pick(draws)();
  }

  #unix(): number {
    return Math.floor(this.#board.clock.now() / 1000);
  }

  async #rotate(at: number, next: Agent, old?: Agent): Promise<void> {
    const line = this.#lines[at]!;
    const following = this.#fresh();
    const state = await this.#send(next, line.key, { op: "rotate", next: hashOf(following) }, old === undefined ? {} : { old });
    if (state !== "counted") return;
    line.former.push(line.key);
    if (next === line.recovery) line.recovery = this.#fresh();
    line.key = next;
    line.next = following;
    this.#agents[at] = next;
  }

  async #delegate(line: Line): Promise<void> {
    const child = this.#fresh();
    const state = await this.#send(
      line.key,
      line.key,
      {
        op: "delegate",
        child: child.pk,
        until: this.#unix() + 1 + this.#random.below(86_400),
        posts_per_hour: 5,
        claim: this.#random.chance(0.5),
      },
      { child },
    );
    if (state === "counted") line.former.push(child);
    // It posts like everybody else, until it may not.
    if (state === "counted" && this.#random.chance(0.5))
      await this.#board.post(child, { kind: "note", title: `by a child ${this.#second}` });
  }

  async #veto(line: Line): Promise<void> {
    const { body } = await this.#board.get<{ pending?: { id: string } | null }>(`/api/agents/${line.key.id}`);
    const of = body.pending?.id ?? hashOf(line.key);
    await this.#send(this.#random.pick([line.key, line.recovery]), line.key, { op: "veto", of });
  }

  async #send(signer: Agent, about: Agent, act: KeyAct, more: With = {}): Promise<string> {
    // Each in a second of its own, as `ts` must grow.
    const now = this.#board.clock.now() + (this.#second++ % 200) * 1000;
    const answer = await this.#board.send(JSON.stringify(signed(signer, about, act, this.#name, now, more)), "/api/keys");
    const { state } = answer.body as { state?: string };
    if (answer.status === 201) this.counted++;
    else this.refused++;
    if (answer.status >= 500 || answer.status === 400) throw new Error(`${answer.status}: ${JSON.stringify(answer.body)}`);
    return answer.status === 201 ? (state ?? "") : "";
  }
}
