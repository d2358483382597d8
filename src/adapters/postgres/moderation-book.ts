// Notices, decisions, blocks and switches inside one batch, on rows fetched in bulk.
import {
  type Action,
  type Blockable,
  type ModerationLedger,
  type Notice,
  type Switches,
  SWITCHES_OFF,
} from "../../core/message/moderation.ts";
import { ACTION_COLUMNS, NOTICE_COLUMNS, SELECT_SWITCHES, toSwitches } from "../sql/moderation-rows.ts";
import { grouped, want, type Want } from "./fetch.ts";
import { textArray } from "./literals.ts";
import { type Journal, Table } from "./table.ts";
import type { Rows } from "./write-function.ts";

/** The one key of what there is once. */
const ONE = "";

export class BatchModeration implements ModerationLedger {
  readonly #journal: Journal;
  readonly #notices: Table<Notice>;
  /** Ids of open notices about a target, and how many there are whose id begins so, when the batch began. */
  readonly #openOn: Table<readonly string[]>;
  readonly #open: Table<number>;
  readonly #actions: Table<Action>;
  /** Ids of decisions in force on a target when the batch began. */
  readonly #inForce: Table<readonly string[]>;
  /** Decisions that block something. */
  readonly #blocks: Table<readonly string[]>;
  readonly #switches: Table<Switches>;
  readonly #unblocked = new Set<string>();

  constructor(journal: Journal) {
    this.#journal = journal;
    this.#notices = new Table(journal);
    this.#openOn = new Table(journal);
    this.#open = new Table(journal);
    this.#actions = new Table(journal);
    this.#inForce = new Table(journal);
    this.#blocks = new Table(journal);
    this.#switches = new Table(journal);
  }

  get isKnown(): boolean {
    const tables = [this.#notices, this.#openOn, this.#open, this.#actions, this.#inForce, this.#blocks, this.#switches];
    return tables.every(({ missing }) => missing.size === 0);
  }

  open(prefix: string): number {
    const before = this.#open.get(prefix) ?? 0;
    const isOpen = (notice: Notice | undefined): number => (notice?.state === "received" ? 1 : 0);
    return [...this.#notices.changes]
      .filter(([id]) => id.startsWith(prefix))
      .reduce((sum, [id, notice]) => sum + isOpen(notice) - isOpen(this.#notices.stored(id)), before);
  }
  notice(id: string): Notice | undefined {
    return this.#notices.get(id);
  }
  noticesOn(target: string): readonly Notice[] {
    const ids = new Set([...(this.#openOn.get(target) ?? []), ...this.#notices.changes.keys()]);
    return [...ids]
      .flatMap((id) => this.#notices.get(id) ?? [])
      .filter((notice) => notice.target === target && notice.state === "received")
      .sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
  }
  putNotice(notice: Notice): void {
    this.#notices.set(notice.id, notice);
  }
  actionOn(target: string): Action | undefined {
    const ids = new Set([...(this.#inForce.get(target) ?? []), ...this.#actions.changes.keys()]);
    const inForce = [...ids]
      .flatMap((id) => this.#actions.get(id) ?? [])
      .filter((action) => action.target === target && action.state === "in_force");
    return inForce.sort((a, b) => b.seq - a.seq)[0];
  }
  putAction(action: Action): void {
    this.#actions.set(action.id, action);
  }
  isBlocked(what: Blockable, name: string): boolean {
    return (this.#blocks.get(`${what} ${name}`) ?? []).some((action) => !this.#unblocked.has(action));
  }
  block(what: Blockable, name: string, action: string): void {
    const key = `${what} ${name}`;
    this.#blocks.set(key, [...(this.#blocks.get(key) ?? []), action]);
  }
  unblock(action: string): void {
    this.#journal.note(() => this.#unblocked.delete(action));
    this.#unblocked.add(action);
  }
  switches(): Switches {
    return this.#switches.get(ONE) ?? SWITCHES_OFF;
  }
  putSwitches(switches: Switches): void {
    this.#switches.set(ONE, switches);
  }

  /** What is missing of all this. */
  wants(): readonly Want[] {
    const notices = `SELECT ${NOTICE_COLUMNS} FROM notices`;
    const actions = `SELECT ${ACTION_COLUMNS} FROM actions`;
    return [
      ...want<Notice>(this.#notices, `${notices} WHERE id = ANY ($1::text[])`, textArray, (ids, rows) =>
        this.#notices.keep(
          ids,
          rows.map((row) => [row.id, row]),
        ),
      ),
      ...want<Notice>(this.#openOn, `${notices} WHERE target = ANY ($1::text[]) AND state = 'received'`, textArray, (targets, rows) => {
        this.#notices.keep(
          [],
          rows.map((row) => [row.id, row]),
        );
        this.#openOn.keep(
          targets,
          grouped(
            rows,
            (row) => row.target,
            (row) => row.id,
          ),
        );
      }),
      ...want<{ prefix: string; count: number }>(
        this.#open,
        `SELECT prefix, (SELECT count(*) FROM notices WHERE state = 'received' AND id >= prefix AND id < prefix || '~') AS count
          FROM unnest($1::text[]) AS prefix`,
        textArray,
        (prefixes, rows) =>
          this.#open.keep(
            prefixes,
            rows.map(({ prefix, count }) => [prefix, count]),
          ),
      ),
      ...want<Action>(this.#actions, `${actions} WHERE id = ANY ($1::text[])`, textArray, (ids, rows) =>
        this.#actions.keep(
          ids,
          rows.map((row) => [row.id, row]),
        ),
      ),
      ...want<Action>(this.#inForce, `${actions} WHERE target = ANY ($1::text[]) AND state = 'in_force'`, textArray, (targets, rows) => {
        this.#actions.keep(
          [],
          rows.map((row) => [row.id, row]),
        );
        this.#inForce.keep(
          targets,
          grouped(
            rows,
            (row) => row.target,
            (row) => row.id,
          ),
        );
      }),
      ...want<{ key: string; action: string }>(
        this.#blocks,
        "SELECT what || ' ' || name AS key, action FROM blocks WHERE (what, name) IN (SELECT split_part(k, ' ', 1), split_part(k, ' ', 2) FROM unnest($1::text[]) AS k)",
        textArray,
        (keys, rows) =>
          this.#blocks.keep(
            keys,
            grouped(
              rows,
              (row) => row.key,
              (row) => row.action,
            ),
          ),
      ),
      ...want<unknown>(this.#switches, `${SELECT_SWITCHES} WHERE $1::text[] IS NOT NULL`, textArray, (keys, rows) =>
        this.#switches.keep(
          keys,
          rows.map((row) => [ONE, toSwitches(row)]),
        ),
      ),
    ];
  }

  rows(): Rows {
    const blocks = [...this.#blocks.changes].flatMap(([key, actions]) => {
      const [what, name] = key.split(" ");
      return (actions ?? []).filter((action) => !this.#unblocked.has(action)).map((action) => ({ what, name, action }));
    });
    return {
      notices: [...this.#notices.changes.values()].flatMap((notice) =>
        notice === undefined ? [] : [{ ...notice, closed_at: notice.closedAt }],
      ),
      actions: [...this.#actions.changes.values()].filter((action) => action !== undefined),
      blocks,
      unblocked: Array.from(this.#unblocked, (action) => ({ action })),
      switches: [...this.#switches.changes.values()].flatMap((switches) =>
        switches === undefined
          ? []
          : [
              {
                one: 1,
                read_only: Number(switches.readOnly),
                pow_bits: switches.powBits,
                pow_max_bits: switches.powMaxBits,
                pow_at_once: Number(switches.powAtOnce),
              },
            ],
      ),
    };
  }
}
