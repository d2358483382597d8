// Keys and their lines inside one batch, and what readers of an agent see of them.
import {
  type AuthorLine,
  authorLine,
  type KeyState,
  type LineState,
  type OpState,
  type StoredKeyOp,
} from "../../../core/keys/key-state.ts";
import { BatchEffects } from "./effects.ts";
import type { AgentRow } from "./working-set.ts";

/** An agent whose first act is in this batch. */
export const newAgent = (pk: string, now: number): AgentRow => ({
  pk,
  firstSeen: now,
  lastSeen: now,
  messages: 0,
  seen: 0,
  lastAck: null,
  line: null,
});

export class BatchKeys extends BatchEffects {
  /** By their text: each is asked for several times. */
  readonly #parsed = new Map<string, AuthorLine>();

  get now(): number {
    return this.set.now;
  }

  principalOf(agent: string): string {
    const line = this.set.agents.get(agent)?.line ?? null;
    return line === null ? agent : this.#authorLine(line).principal;
  }
  #authorLine(text: string): AuthorLine {
    let line = this.#parsed.get(text);
    if (line === undefined) this.#parsed.set(text, (line = JSON.parse(text) as AuthorLine));
    return line;
  }
  /** Most agents have no key operations, and their row says so. */
  key(agent: string): KeyState | undefined {
    return this.set.agents.get(agent)?.line === null ? undefined : this.set.keys.get(agent);
  }
  putKey(key: KeyState): void {
    this.set.keys.set(key.agent, key);
    this.#updateAuthorLine(key);
  }
  line(principal: string): LineState | undefined {
    return this.set.lines.get(principal);
  }
  putLine(line: LineState): void {
    this.set.lines.set(line.principal, line);
    for (const member of line.members) {
      const key = this.set.keys.get(member);
      if (key !== undefined) this.#updateAuthorLine(key);
    }
  }
  dueLines(limit: number): readonly LineState[] {
    return this.set.dueLines.first(limit);
  }
  keyOp(id: string): StoredKeyOp | undefined {
    return this.set.keyOps.get(id);
  }
  putKeyOp(op: StoredKeyOp): void {
    this.set.keyOps.set(op.id, op);
  }
  setOpState(id: string, state: OpState): void {
    const op = this.set.keyOps.get(id);
    if (op !== undefined) this.set.keyOps.set(id, { ...op, state });
  }
  firstSeen(agent: string): number | undefined {
    return this.set.agents.get(agent)?.firstSeen;
  }
  seeAgent(agent: string, pk: string): void {
    const known = this.set.agents.get(agent) ?? newAgent(pk, this.now);
    this.set.agents.set(agent, { ...known, lastSeen: this.now });
    const key = this.set.keys.get(agent);
    if (key !== undefined) this.#updateAuthorLine(key);
    if (known.line !== null) this.seeParent(known.line);
  }
  /** An act of a delegated key counts as an act of its parent, so the parent's aliases stay valid. */
  protected seeParent(line: string): void {
    const parent = this.#authorLine(line).delegated_by;
    const known = parent === undefined ? undefined : this.set.agents.get(parent);
    if (parent !== undefined && known !== undefined) this.set.agents.set(parent, { ...known, lastSeen: this.now });
  }

  #updateAuthorLine(key: KeyState): void {
    const row = this.set.agents.get(key.agent);
    if (row === undefined) return;
    const line = JSON.stringify(authorLine(key, this.set.lines.get(key.principal)));
    if (row.line !== line) this.set.agents.set(key.agent, { ...row, line });
  }
}
