// Notices, decisions, blocks and switches inside one batch.
import {
  type Action,
  type Blockable,
  type ModerationLedger,
  type Notice,
  type Switches,
  SWITCHES_OFF,
} from "../../../core/message/moderation-state.ts";
import { keyOf, ONE, type WorkingSet } from "./working-set.ts";

export class BatchModeration implements ModerationLedger {
  readonly #set: WorkingSet;
  /** Decisions that no longer block anything. */
  readonly unblocked = new Set<string>();

  constructor(set: WorkingSet) {
    this.#set = set;
  }

  open(prefix: string): number {
    const { openNoticeCounts, notices } = this.#set;
    const before = openNoticeCounts.get(prefix) ?? 0;
    const isOpen = (notice: Notice | undefined): number => (notice?.state === "received" ? 1 : 0);
    return [...notices.changes]
      .filter(([id]) => id.startsWith(prefix))
      .reduce((sum, [id, notice]) => sum + isOpen(notice) - isOpen(notices.stored(id)), before);
  }
  notice(id: string): Notice | undefined {
    return this.#set.notices.get(id);
  }
  noticesOn(target: string): readonly Notice[] {
    const { openNoticesOn, notices } = this.#set;
    const ids = new Set([...(openNoticesOn.get(target) ?? []), ...notices.changes.keys()]);
    return [...ids]
      .flatMap((id) => notices.get(id) ?? [])
      .filter((notice) => notice.target === target && notice.state === "received")
      .sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
  }
  putNotice(notice: Notice): void {
    this.#set.notices.set(notice.id, notice);
  }
  actionOn(target: string): Action | undefined {
    const { actionsInForceOn, actions } = this.#set;
    const ids = new Set([...(actionsInForceOn.get(target) ?? []), ...actions.changes.keys()]);
    return [...ids]
      .flatMap((id) => actions.get(id) ?? [])
      .filter((action) => action.target === target && action.state === "in_force")
      .sort((a, b) => b.seq - a.seq)[0];
  }
  putAction(action: Action): void {
    this.#set.actions.set(action.id, action);
  }
  isBlocked(what: Blockable, name: string): boolean {
    return this.#blocks(what, name).length > 0;
  }
  blockOf(what: Blockable, name: string): Action | undefined {
    const last = this.#blocks(what, name).at(-1);
    return last === undefined ? undefined : this.#set.actions.get(last);
  }
  #blocks(what: Blockable, name: string): readonly string[] {
    return (this.#set.blocks.get(keyOf(what, name)) ?? []).filter((action) => !this.unblocked.has(action));
  }
  block(what: Blockable, name: string, action: string): void {
    const { blocks } = this.#set;
    const key = keyOf(what, name);
    blocks.set(key, [...(blocks.get(key) ?? []), action]);
  }
  unblock(action: string): void {
    this.#set.journal.note(() => this.unblocked.delete(action));
    this.unblocked.add(action);
  }
  switches(): Switches {
    return this.#set.switches.get(ONE) ?? SWITCHES_OFF;
  }
  putSwitches(switches: Switches): void {
    this.#set.switches.set(ONE, switches);
  }
}
