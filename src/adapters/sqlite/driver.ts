// Which index drives the walk of a listing: the condition with the fewest rows behind it.
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { type Condition, LABEL_FIELD, type SetField, type TextField } from "../../core/query/condition.ts";
import type { OrderKey } from "../../core/query/order.ts";
import type { Binder } from "../sql/condition.ts";
import { SORTABLE, wayBy, type WaysBy } from "../sql/driven.ts";
import { threadOf } from "./thread-number.ts";

export interface Driver {
  readonly condition: Condition;
  /** A table that yields seqs, to be joined; none where an index of `messages` does. */
  readonly from: ((binder: Binder) => string) | undefined;
  readonly rows: number;
  /** Whether its rows come in the order of seq. */
  readonly inOrder: boolean;
  /** Whether its rows are only the neighbourhood of what is asked for, so that the condition has to be looked at again. */
  readonly nearby?: boolean;
}

/** Where no tally is kept, rows are counted as far as matters. */
const counted = (rows: string): string => `SELECT count(*) AS rows FROM (SELECT 1 FROM ${rows} LIMIT ${SORTABLE + 1})`;

type Count = "tally" | "author" | "root" | "to" | "refers" | "inbox" | "verifies";

export class DriverChooser {
  readonly #counts: Readonly<Record<Count, StatementSync>>;

  constructor(db: DatabaseSync) {
    this.#counts = {
      tally: db.prepare("SELECT count AS rows FROM tallies WHERE field = ? AND label = ?"),
      author: db.prepare("SELECT messages AS rows FROM agents WHERE id = ?"),
      root: db.prepare(`SELECT messages AS rows FROM threads WHERE number = ${threadOf("?1")}`),
      to: db.prepare(counted('messages WHERE "to" = ?')),
      refers: db.prepare(counted("refs WHERE target = ?")),
      inbox: db.prepare(counted("inbox WHERE agent = ?")),
      verifies: db.prepare(counted("messages a CROSS JOIN refs r ON r.seq = a.seq AND r.rel = 'verifies' WHERE a.author = ?")),
    };
  }

  /** A driver in order serves any listing by seq; others only where they are short enough to sort. */
  choose(conditions: readonly Condition[], key: OrderKey): Driver | undefined {
    const usable = conditions
      .flatMap((one) => wayBy(one, this.#ways) ?? [])
      .filter((one) => one.rows <= SORTABLE || (one.inOrder && key === "seq"));
    return usable.sort((a, b) => a.rows - b.rows)[0];
  }

  readonly #ways: WaysBy<Driver> = {
    oneOf: (condition) => {
      const { field, values } = condition;
      const rows = sum(values, (value) => this.#textRows(field, value));
      const numbers = (binder: Binder) => values.map((root) => threadOf(binder.bind(root))).join(", ");
      const inThreads = (binder: Binder) => `(SELECT seq FROM messages WHERE thread IN (${numbers(binder)}))`;
      return { condition, from: field === "root" ? inThreads : undefined, rows, inOrder: values.length === 1 };
    },
    between: () => undefined,
    refers: (condition) => {
      const { target, rels } = condition;
      const among = (binder: Binder) => (rels === null ? "" : ` AND rel IN (${binder.bindAll(rels)})`);
      return {
        condition,
        from: (binder) => `(SELECT DISTINCT seq FROM refs WHERE target = ${binder.bind(target)}${among(binder)})`,
        rows: this.#count("refers", target),
        inOrder: false,
      };
    },
    has: (condition) => this.#setDriver(condition, condition.field, condition.values),
  };

  #setDriver(condition: Condition, field: SetField, values: readonly string[]): Driver | undefined {
    const inOrder = values.length === 1;
    const seq = inOrder ? "seq" : "DISTINCT seq";
    const matching = (column: string, binder: Binder) =>
      inOrder ? `${column} = ${binder.bindAll(values)}` : `${column} IN (${binder.bindAll(values)})`;
    switch (field) {
      case "tags":
      case "needs":
      case "offers": {
        const label = LABEL_FIELD[field];
        const rows = sum(values, (value) => this.#count("tally", label, value));
        return {
          condition,
          from: (binder) => `(SELECT ${seq} FROM labels WHERE field = '${label}' AND ${matching("label", binder)})`,
          rows,
          inOrder,
        };
      }
      case "repliedTo":
      case "reaches": {
        const reply = field === "repliedTo" ? " AND reply = 1" : "";
        return {
          condition,
          from: (binder) => `(SELECT ${seq} FROM inbox WHERE ${matching("agent", binder)}${reply})`,
          rows: sum(values, (agent) => this.#count("inbox", agent)),
          inOrder,
        };
      }
      case "verifiedBy":
        // Who votes does so by a message of its own; also votes that it has taken back or changed since.
        return {
          condition,
          from: (binder) => `(SELECT DISTINCT t.seq FROM messages a CROSS JOIN refs r ON r.seq = a.seq AND r.rel = 'verifies'
            CROSS JOIN messages t ON t.id = r.target WHERE a.author IN (${binder.bindAll(values)}))`,
          rows: sum(values, (agent) => this.#verifications(agent)),
          inOrder: false,
          nearby: true,
        };
    }
  }

  #textRows(field: TextField, value: string): number {
    switch (field) {
      case "kind":
      case "status":
        return this.#count("tally", field, value);
      case "author":
      case "root":
      case "to":
        return this.#count(field, value);
    }
  }

  /** Of one message there can be many; whose messages are too many already is not looked at further. */
  #verifications(agent: string): number {
    const own = this.#count("author", agent);
    return own > SORTABLE ? own : this.#count("verifies", agent);
  }

  #count(statement: Count, ...values: string[]): number {
    return (this.#counts[statement].get(...values)?.["rows"] as number | undefined) ?? 0;
  }
}

const sum = (values: readonly string[], rows: (value: string) => number): number => values.reduce((total, value) => total + rows(value), 0);
