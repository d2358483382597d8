// Compiles a condition to SQL over a message row `m`; the same for every store except for the dialect.
import {
  type Condition,
  type FlagField,
  LABEL_FIELD,
  type NumberField,
  type SetField,
  type TextField,
} from "../../core/query/condition.ts";
import type { Dialect, SqlValue } from "./dialect.ts";

/** A statement under construction: its values by the numbers of their placeholders. */
export class Binder {
  readonly values: SqlValue[] = [];
  readonly dialect: Dialect;

  constructor(dialect: Dialect) {
    this.dialect = dialect;
  }

  bind(value: SqlValue): string {
    this.values.push(this.dialect.value(value));
    return `$${this.values.length}`;
  }

  bindAll(values: readonly SqlValue[]): string {
    return values.map((value) => this.bind(value)).join(", ");
  }
}

const TEXT: Record<TextField, string> = { kind: "m.kind", status: "m.status", root: "m.root", author: "m.author", to: 'm."to"' };
const NUMBER: Record<NumberField, string> = {
  seq: "m.seq",
  bits: "m.bits",
  verifies: "m.verifies",
  refutes: "m.refutes",
  risk: "m.risk",
  copies: "m.copies",
  receivedAt: "m.received_at",
  expiresAt: "m.expires_at",
  leaseUntil: "m.lease_until",
  changed: "m.changed",
  authorSince: "(SELECT a.first_seen FROM agents a WHERE a.id = m.author)",
};
const FLAG: Record<FlagField, string> = {
  hasData: "m.has_data = 1",
  hasAttachment: "m.has_attachment = 1",
  assisted: "m.assisted = 1",
  superseded: "m.superseded_by IS NOT NULL",
  addressed: 'm."to" IS NOT NULL',
  isRoot: "m.id = m.root",
};

/** Hides every column from indexes except the columns of `indexed`: only that condition may use an index. */
export function conditionSql(condition: Condition, binder: Binder, indexed?: Condition): string {
  const column = (name: string, type: "text" | "number"): string => (condition === indexed ? name : binder.dialect.opaque(name, type));
  switch (condition.is) {
    case "oneOf": {
      const name = column(TEXT[condition.field], "text");
      if (condition.values.length === 0) return "1 = 0";
      return condition.values.length === 1
        ? `${name} = ${binder.bindAll(condition.values)}`
        : `${name} IN (${binder.bindAll(condition.values)})`;
    }
    case "between":
      return rangeSql(column(NUMBER[condition.field], "number"), condition, binder);
    case "flag":
      return condition.value ? FLAG[condition.field] : `(${FLAG[condition.field]}) IS NOT TRUE`;
    case "hasAny":
      return hasAny(condition.field, condition.values, binder);
    case "hasAll":
      return condition.values.length === 0
        ? "1 = 1"
        : condition.values.map((value) => hasAny(condition.field, [value], binder)).join(" AND ");
    case "language": {
      const range = condition.range.toLowerCase();
      return `(m.lang = ${binder.bind(range)} OR substr(m.lang, 1, ${range.length + 1}) = ${binder.bind(`${range}-`)})`;
    }
    case "refers": {
      const rels = condition.rels === null ? "" : ` AND r.rel IN (${binder.bindAll(condition.rels)})`;
      return binder.dialect.exists(`SELECT 1 FROM refs r WHERE r.seq = m.seq${rels} AND r.target = ${binder.bind(condition.target)}`);
    }
    case "and":
      return joined(condition.of, " AND ", "1 = 1", binder, indexed);
    case "or":
      return joined(condition.of, " OR ", "1 = 0", binder, indexed);
    case "not":
      // Plain NOT turns unknown into unknown; here a condition that is not known to be true counts as false.
      return `(${conditionSql(condition.of, binder, indexed)}) IS NOT TRUE`;
  }
}

export function rangeSql(column: string, { min, max }: { min?: number; max?: number }, binder: Binder): string {
  const parts = [];
  if (min !== undefined) parts.push(`${column} >= ${binder.bind(min)}`);
  if (max !== undefined) parts.push(`${column} <= ${binder.bind(max)}`);
  return parts.length === 0 ? "1 = 1" : `(${parts.join(" AND ")})`;
}

function joined(of: readonly Condition[], by: string, none: string, binder: Binder, indexed: Condition | undefined): string {
  return of.length === 0 ? none : `(${of.map((part) => conditionSql(part, binder, indexed)).join(by)})`;
}

function hasAny(field: SetField, values: readonly string[], binder: Binder): string {
  if (values.length === 0) return "1 = 0";
  switch (field) {
    case "tags":
    case "needs":
    case "offers":
      return binder.dialect.exists(
        `SELECT 1 FROM labels l WHERE l.field = '${LABEL_FIELD[field]}' AND l.label IN (${binder.bindAll(values)}) AND l.seq = m.seq`,
      );
    case "repliedTo":
    case "reaches":
      return binder.dialect.exists(
        `SELECT 1 FROM inbox i WHERE i.agent IN (${binder.bindAll(values)}) AND i.seq = m.seq${field === "repliedTo" ? " AND i.reply > 0" : ""}`,
      );
    case "claimedBy":
      return `m.claimed_by IN (${binder.bindAll(values)})`;
    case "verifiedBy": {
      const state = (agent: string): string =>
        `(SELECT v.rel FROM votes v WHERE v.target = m.seq AND v.agent = ${binder.bind(agent)} ORDER BY v.seq DESC LIMIT 1) = 'verifies'`;
      return `(${values.map(state).join(" OR ")})`;
    }
  }
}
