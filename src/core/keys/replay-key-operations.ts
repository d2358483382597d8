// Replays the key operations of a log by the same rules as the board, from the entries alone.
import { Refusal } from "../errors.ts";
import type { Entry } from "../log/chain.ts";
import { agentId } from "../protocol/message-and-agent-ids.ts";
import { KEY_OPS, type KeyEnvelope, keyDraftOf } from "../protocol/key-op.ts";
import { operateKey } from "./key-rules.ts";
import type { KeyEffect, KeyLedger, KeyState, LineState, OpState } from "./key-state.ts";
import { applyDue } from "./apply-key-rotations.ts";

/** The part of a log entry that concerns keys; `author` is the author of a `create`, if it is known. */
export type KeyEntry = Pick<Entry, "at" | "type" | "id" | "detail"> & { readonly author?: string | undefined };

const KEY_TYPES: ReadonlySet<string> = new Set(KEY_OPS.map((op) => `key_${op}`));
export const isKeyOperation = (type: string): boolean => KEY_TYPES.has(type);

/** The complete state of a book, from which another book can continue later. */
export interface KeyBookState {
  readonly keys: readonly KeyState[];
  readonly lines: readonly LineState[];
  readonly states: readonly (readonly [string, OpState])[];
  /** Each agent and when it was first seen. */
  readonly seen: readonly (readonly [string, number])[];
}

export class KeyBook implements KeyLedger {
  now = 0;
  readonly keys = new Map<string, KeyState>();
  readonly lines = new Map<string, LineState>();
  readonly states = new Map<string, OpState>();
  readonly #firstSeen = new Map<string, number>();
  /** Lines with a pending operation. */
  readonly #waiting = new Set<string>();
  readonly #late: ReadonlySet<string>;
  /** Key changes that aliases and leases follow. */
  readonly effects: KeyEffect[] = [];

  /**
   * `late`: operations that took effect later according to the log; their signers are not always known from earlier entries. `from`:
   * the state in which an earlier book ended.
   */
  constructor(late: ReadonlySet<string> = new Set(), from?: KeyBookState) {
    this.#late = late;
    for (const key of from?.keys ?? []) this.keys.set(key.agent, key);
    for (const line of from?.lines ?? []) this.putLine(line);
    for (const [id, state] of from?.states ?? []) this.states.set(id, state);
    for (const [agent, at] of from?.seen ?? []) this.#firstSeen.set(agent, at);
  }

  state(): KeyBookState {
    return { keys: [...this.keys.values()], lines: [...this.lines.values()], states: [...this.states], seen: [...this.#firstSeen] };
  }

  key(agent: string): KeyState | undefined {
    return this.keys.get(agent);
  }
  putKey(key: KeyState): void {
    this.keys.set(key.agent, key);
  }
  line(principal: string): LineState | undefined {
    return this.lines.get(principal);
  }
  putLine(line: LineState): void {
    this.lines.set(line.principal, line);
    if (line.pending === null) this.#waiting.delete(line.principal);
    else this.#waiting.add(line.principal);
  }
  setOpState(id: string, state: OpState): void {
    this.states.set(id, state);
  }
  firstSeen(agent: string): number | undefined {
    return this.#firstSeen.get(agent);
  }
  seeAgent(agent: string): void {
    if (!this.#firstSeen.has(agent)) this.#firstSeen.set(agent, this.now);
  }

  /** Returns why the operation could not have been accepted; undefined if it could. */
  read({ at, type, id, detail, author }: KeyEntry): Refusal | undefined {
    this.advance(at);
    const seen = author ?? signerOf({ type, id, detail });
    if (seen !== undefined) this.seeAgent(seen);
    if (!isKeyOperation(type) || detail === null) return undefined;
    return this.#operate(id, JSON.parse(detail) as KeyEnvelope);
  }

  /** Applies the pending operations that are due by this time. */
  advance(at: number): void {
    this.now = at;
    for (const principal of this.#waiting) {
      const applied = applyDue(this, principal);
      if (applied?.effect !== undefined) this.effects.push(applied.effect);
    }
  }

  #operate(agent: string, envelope: KeyEnvelope): Refusal | undefined {
    try {
      const { id, signer, payload } = keyDraftOf(envelope);
      if (payload.agent !== agent) throw new Refusal("invalid_field", `The entry is about ${agent}, its operation about ${payload.agent}.`);
      if (payload.op === "commit" && this.#late.has(id)) this.#firstSeen.set(signer, 0);
      // The old key has signed, so its agent exists, even if none of its posts is left.
      if (envelope.old_sig !== undefined) this.seeAgent(payload.agent);
      const { state, effects } = operateKey(this, { id, signer, payload, oldSigned: envelope.old_sig !== undefined });
      this.states.set(id, state);
      this.effects.push(...effects);
      return undefined;
    } catch (error) {
      if (error instanceof Refusal) return error;
      throw error;
    }
  }
}

/** The signer of an entry that is not a message, if the entry names it. */
export function signerOf({ type, id, detail }: Pick<KeyEntry, "type" | "id" | "detail">): string | undefined {
  if (type === "ack") return id;
  return type === "alias_claim" && detail !== null ? (JSON.parse(detail) as { agent?: string }).agent : undefined;
}

/** Operations that must have been pending, because a later entry says that they took effect or were vetoed. */
export function lateOps(entries: Iterable<Pick<KeyEntry, "type" | "detail">>): ReadonlySet<string> {
  const late = new Set<string>();
  for (const { type, detail } of entries) {
    if (detail === null || (type !== "key_effect" && type !== "key_veto")) continue;
    const parsed = JSON.parse(detail) as { of?: string; payload?: string };
    const { of } = parsed.payload === undefined ? parsed : (JSON.parse(parsed.payload) as { of?: string });
    if (of !== undefined) late.add(of);
  }
  return late;
}

/** The key that acted in this entry, to record when a key was first seen. */
export const authorOf = (payload: string): string => agentId((JSON.parse(payload) as { pk: string }).pk);
