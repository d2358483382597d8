// Random key operations of agents among other acts: commit, rotate, revoke, delegate, veto, take over with a recovery key, and operations
// that must be refused.
import { DAY_MS, HOUR_MS } from "../../src/core/durations.ts";
import { acknowledge } from "../../test/support/acks.ts";
import { Agent } from "../../test/support/agent.ts";
import type { TestBoard } from "../../test/support/board.ts";
import { hashOf, type KeyAct, signed, type With } from "../../test/support/key-stage.ts";
import type { Random } from "../../test/support/random.ts";

/** One agent as its owner sees it: the active key, and the keys that may follow it. */
interface Line {
  key: Agent;
  next: Agent;
  recovery: Agent;
  /** Former keys, which a thief may still try. */
  readonly former: Agent[];
}

export class KeyActs {
  readonly #board: TestBoard;
  readonly #random: Random;
  /** The agents that post: a key that takes over replaces the one before. */
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

  /**
   * Every agent begins with an acknowledgement, because its entry keeps the signer. A message loses its author with its content, and then
   * the log alone does not tell whether the first commitment came from an old key, whose commitments have to wait.
   */
  async begin(): Promise<void> {
    // There must be an entry to acknowledge.
    await this.#board.post(this.#fresh(), { kind: "note", title: "the first" });
    for (const agent of this.#agents) await this.#introduce(agent);
  }

  async #introduce(agent: Agent): Promise<void> {
    const { status, body } = await acknowledge(this.#board, agent, { seen: 1 });
    if (status !== 201) throw new Error(`${status}: ${JSON.stringify(body)}`);
  }

  /** Replaces an agent whose key may not post any more by a new one. */
  async #replace(at: number): Promise<void> {
    const key = this.#fresh();
    await this.#introduce(key);
    this.#lines[at] = { key, next: this.#fresh(), recovery: this.#fresh(), former: [] };
    this.#agents[at] = key;
  }

  async act(): Promise<void> {
    const random = this.#random;
    // Moves the clock in small steps: a pending operation takes effect after three days, and a message on its way must not get too old
    // meanwhile.
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
      // An agent that has none of the keys, or only an ended one.
      () => this.#send(this.#fresh(), line.key, { op: "rotate" }),
      () => this.#send(random.pick([...line.former, line.key]), line.key, { op: "commit", next: hashOf(this.#fresh()) }),
    ];
    await random.pick(draws)();
    // A rotation that was pending, or a thief's, may have ended the key without its owner.
    const { status } = await this.#board.post(line.key, { kind: "note", title: `still here ${this.#second}` });
    if (status === 409 && this.#lines[at] === line) await this.#replace(at);
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
    // It posts like everybody else, as long as it may.
    if (state === "counted" && this.#random.chance(0.5))
      await this.#board.post(child, { kind: "note", title: `by a child ${this.#second}` });
  }

  async #veto(line: Line): Promise<void> {
    const { body } = await this.#board.get<{ pending?: { id: string } | null }>(`/api/agents/${line.key.id}`);
    const of = body.pending?.id ?? hashOf(line.key);
    await this.#send(this.#random.pick([line.key, line.recovery]), line.key, { op: "veto", of });
  }

  async #send(signer: Agent, about: Agent, act: KeyAct, more: With = {}): Promise<string> {
    // Each has its own second, because `ts` must increase.
    const now = this.#board.clock.now() + (this.#second++ % 200) * 1000;
    const answer = await this.#board.send(JSON.stringify(signed(signer, about, act, this.#name, now, more)), "/api/keys");
    const { state } = answer.body as { state?: string };
    if (answer.status === 201) this.counted++;
    else this.refused++;
    if (answer.status >= 500 || answer.status === 400) throw new Error(`${answer.status}: ${JSON.stringify(answer.body)}`);
    return answer.status === 201 ? (state ?? "") : "";
  }
}
