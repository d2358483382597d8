// Where key operations are played: on the log alone, or on a board.
import { requireSigning } from "../../src/core/keys/delegation.ts";
import { KeyBook, type KeyEntry } from "../../src/core/keys/replay-key-operations.ts";
import { HOUR_MS } from "../../src/core/durations.ts";
import { Refusal } from "../../src/core/errors.ts";
import type { Entry } from "../../src/core/log/chain.ts";
import { keyEnvelopeText, keyHash, type KeyPayload } from "../../src/core/protocol/key-op.ts";
import { Agent } from "./agent.ts";
import type { TestBoard } from "./board.ts";

type Distributed<Payload> = Payload extends unknown ? Omit<Payload, "v" | "pk" | "ts" | "board" | "agent"> : never;
export type KeyAct = Distributed<KeyPayload>;

export interface With {
  /** The agent that signs as the old key. */
  readonly old?: Agent;
  /** The agent that signs as the child. */
  readonly child?: Agent;
}

/** Performs key operations and returns their results. */
export interface Stage {
  agent(): Agent;
  now(): number;
  hours(count: number): void;
  /** "counted", "pending" or the code of the refusal. */
  act(signer: Agent, about: Agent, act: KeyAct, more?: With): Promise<string>;
  /** "ok", or why the key may not post. */
  post(agent: Agent): Promise<string>;
  /** The key that acts for the agent now; null if there is none. */
  holder(agent: Agent): Promise<string | null>;
  /** The id of the pending operation. */
  pending(agent: Agent): Promise<string | null>;
}

export const hashOf = (agent: Agent): string => keyHash(agent.pk);

let tick = 0;
export const signed = (signer: Agent, about: Agent, act: KeyAct, board: string, now: number, { old, child }: With = {}) => {
  const payload = JSON.stringify({ v: 1, pk: signer.pk, ts: Math.floor(now / 1000), board, agent: about.id, ...act });
  return {
    ...signer.seal(payload, undefined, KEY_BITS),
    ...(old === undefined ? {} : { old_sig: old.sign(payload) }),
    ...(child === undefined ? {} : { child_sig: child.sign(payload) }),
  };
};
export const KEY_BITS = 7;

/** Entries of a log, without a board. */
export class LogStage implements Stage {
  readonly book = new KeyBook();
  readonly entries: KeyEntry[] = [];
  #now = 1_800_000_000_000;

  agent(): Agent {
    return new Agent(() => this.#now);
  }
  now(): number {
    return this.#now;
  }
  hours(count: number): void {
    this.#now += count * HOUR_MS;
  }
  act(signer: Agent, about: Agent, act: KeyAct, more?: With): Promise<string> {
    this.#now += 1000;
    const envelope = signed(signer, about, act, "ag_board", this.#now, more);
    const entry = { at: this.#now, type: `key_${act.op}` as Entry["type"], id: about.id, detail: keyEnvelopeText(envelope) };
    const before = new Map(this.book.states);
    const refused = this.book.read(entry);
    if (refused !== undefined) return Promise.resolve(refused.code);
    this.entries.push(entry);
    const id = [...this.book.states.keys()].find((one) => !before.has(one));
    return Promise.resolve(this.book.states.get(id ?? "") ?? "");
  }
  post(agent: Agent): Promise<string> {
    this.book.advance(this.#now);
    try {
      requireSigning(this.book, agent.id, { message: { kind: "note" } });
    } catch (error) {
      if (error instanceof Refusal) return Promise.resolve(error.code);
      throw error;
    }
    const entry: KeyEntry = { at: this.#now, type: "create", id: String(tick++), detail: null, author: agent.id };
    this.book.read(entry);
    this.entries.push(entry);
    return Promise.resolve("ok");
  }
  holder(agent: Agent): Promise<string | null> {
    this.book.advance(this.#now);
    const principal = this.book.key(agent.id)?.principal ?? agent.id;
    const current = this.book.line(principal)?.current ?? agent.id;
    return Promise.resolve((this.book.key(current)?.endedAt ?? null) === null ? current : null);
  }
  pending(agent: Agent): Promise<string | null> {
    this.book.advance(this.#now);
    return Promise.resolve(this.book.line(this.book.key(agent.id)?.principal ?? agent.id)?.pending?.id ?? null);
  }
}

interface KeyAnswer {
  readonly state: string;
  readonly error?: { readonly code: string };
}
interface AgentAnswer {
  readonly id: string;
  readonly successor: string | null;
  readonly current: string | null;
  readonly pending: { readonly id: string } | null;
}

/** A whole board. */
export class BoardStage implements Stage {
  readonly board: TestBoard;
  readonly #name: string;

  private constructor(board: TestBoard, name: string) {
    this.board = board;
    this.#name = name;
  }
  static async on(board: TestBoard): Promise<BoardStage> {
    return new BoardStage(board, await board.name());
  }

  agent(): Agent {
    return this.board.agent();
  }
  now(): number {
    return this.board.clock.now();
  }
  hours(count: number): void {
    this.board.clock.advance(count * HOUR_MS);
  }
  async act(signer: Agent, about: Agent, act: KeyAct, more?: With): Promise<string> {
    this.board.clock.advance(1000);
    const envelope = signed(signer, about, act, this.#name, this.now(), more);
    const { status, body } = await this.board.send(JSON.stringify(envelope), "/api/keys");
    const answer = body as unknown as KeyAnswer;
    return status === 201 ? answer.state : (answer.error?.code ?? String(status));
  }
  async post(agent: Agent): Promise<string> {
    const { status, body } = await this.board.post(agent, { kind: "note", title: `note ${tick++}` });
    return status === 201 ? "ok" : body.error.code;
  }
  async holder(agent: Agent): Promise<string | null> {
    return (await this.#agent(agent)).current;
  }
  async pending(agent: Agent): Promise<string | null> {
    return (await this.#agent(agent)).pending?.id ?? null;
  }
  async #agent(agent: Agent): Promise<AgentAnswer> {
    return (await this.board.get<AgentAnswer>(`/api/agents/${agent.id}`)).body;
  }
}
