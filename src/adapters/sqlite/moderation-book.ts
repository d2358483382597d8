// Notices, decisions, blocks and switches in the writer's transaction.
import type { DatabaseSync } from "node:sqlite";
import type { Action, Blockable, ModerationLedger, Notice, Switches } from "../../core/message/moderation.ts";
import { REPORT_TEXT_MS } from "../../core/protocol/limits.ts";
import { ACTION_COLUMNS, NOTICE_COLUMNS, SELECT_SWITCHES, toSwitches } from "../sql/moderation-rows.ts";

export class ModerationBook implements ModerationLedger {
  readonly #sql: ReturnType<typeof statements>;
  /** Whether anything is blocked at all. */
  #blocks: boolean | undefined;

  constructor(db: DatabaseSync) {
    this.#sql = statements(db);
  }

  open(prefix: string): number {
    return this.#sql.open.get(prefix, `${prefix}~`)!["count"] as number;
  }
  notice(id: string): Notice | undefined {
    return this.#sql.notice.get(id) as Notice | undefined;
  }
  noticesOn(target: string): readonly Notice[] {
    return this.#sql.noticesOn.all(target) as unknown as readonly Notice[];
  }
  putNotice({ id, at, category, target, explanation, contact, state, closedAt }: Notice): void {
    this.#sql.putNotice.run(id, at, category, target, explanation, contact, state, closedAt);
  }
  actionOn(target: string): Action | undefined {
    return this.#sql.actionOn.get(target) as Action | undefined;
  }
  putAction({ id, seq, at, target, visibility, ground, category, facts, state }: Action): void {
    this.#sql.putAction.run(id, seq, at, target, visibility, ground, category, facts, state);
  }
  isBlocked(what: Blockable, name: string): boolean {
    // On most boards nothing is, and every post asks.
    this.#blocks ??= this.#sql.anyBlock.get() !== undefined;
    return this.#blocks && this.#sql.isBlocked.get(what, name) !== undefined;
  }
  block(what: Blockable, name: string, action: string): void {
    this.forget();
    this.#sql.block.run(what, name, action);
  }
  unblock(action: string): void {
    this.forget();
    this.#sql.unblock.run(action);
  }
  /** What is remembered may not have come to be. */
  forget(): void {
    this.#blocks = undefined;
  }
  switches(): Switches {
    return toSwitches(this.#sql.switches.get());
  }
  putSwitches({ readOnly, powBits, powMaxBits, powAtOnce }: Switches): void {
    this.#sql.putSwitches.run(Number(readOnly), powBits, powMaxBits, Number(powAtOnce));
  }
  /** What people wrote goes a while after their case was closed; that there was a case stays. */
  dropOverdueTexts(now: number): void {
    this.#sql.dropTexts.run(now - REPORT_TEXT_MS);
  }
}

function statements(db: DatabaseSync) {
  const p = (sql: string) => db.prepare(sql);
  return {
    open: p("SELECT count(*) AS count FROM notices WHERE state = 'received' AND id >= ? AND id < ?"),
    notice: p(`SELECT ${NOTICE_COLUMNS} FROM notices WHERE id = ?`),
    noticesOn: p(`SELECT ${NOTICE_COLUMNS} FROM notices WHERE target = ? AND state = 'received' ORDER BY at, id`),
    putNotice: p(
      "INSERT OR REPLACE INTO notices (id, at, category, target, explanation, contact, state, closed_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    ),
    dropTexts: p("UPDATE notices SET explanation = '', contact = NULL WHERE closed_at <= ? AND (explanation <> '' OR contact IS NOT NULL)"),
    actionOn: p(`SELECT ${ACTION_COLUMNS} FROM actions WHERE target = ? AND state = 'in_force' ORDER BY seq DESC LIMIT 1`),
    putAction: p(
      "INSERT OR REPLACE INTO actions (id, seq, at, target, visibility, ground, category, facts, state) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
    ),
    anyBlock: p("SELECT 1 FROM blocks LIMIT 1"),
    isBlocked: p("SELECT 1 FROM blocks WHERE what = ? AND name = ? LIMIT 1"),
    block: p("INSERT OR IGNORE INTO blocks (what, name, action) VALUES (?, ?, ?)"),
    unblock: p("DELETE FROM blocks WHERE action = ?"),
    switches: p(SELECT_SWITCHES),
    putSwitches: p("INSERT OR REPLACE INTO switches (one, read_only, pow_bits, pow_max_bits, pow_at_once) VALUES (1, ?, ?, ?, ?)"),
  };
}
