// How the first rows of each window are fetched.
import { ALIASES, type LoadDialect, MESSAGES } from "./load-statements.ts";
import type { WindowName, Withdrawal, WorkingSet } from "./working-set.ts";

export interface WindowLoad {
  readonly sql: (dialect: LoadDialect) => string;
  readonly values: (set: WorkingSet, withdrawal: Withdrawal | undefined) => readonly (string | number)[];
}

const atNow: WindowLoad["values"] = ({ now }) => [now];

/** The last value is the number of rows. */
export const WINDOWS: { readonly [Name in WindowName]: WindowLoad } = {
  due: {
    sql: ({ limit }) => `${MESSAGES} WHERE m.expires_at <= $1 ORDER BY m.expires_at, m.seq LIMIT ${limit(2)}`,
    values: atNow,
  },
  endedLeases: {
    sql: ({ limit }) => `${MESSAGES} WHERE m.lease_until <= $1 ORDER BY m.lease_until, m.seq LIMIT ${limit(2)}`,
    values: atNow,
  },
  dueAliases: {
    sql: ({ limit }) => `${ALIASES} WHERE check_at <= $1 ORDER BY check_at, alias LIMIT ${limit(2)}`,
    values: atNow,
  },
  dueLines: {
    sql: ({ limit }) => `SELECT state FROM key_lines WHERE counts_at <= $1 ORDER BY counts_at, principal LIMIT ${limit(2)}`,
    values: atNow,
  },
  withdrawn: {
    // The unary plus makes SQLite use the index of authors.
    sql: ({ limit }) =>
      `${MESSAGES} WHERE m.author = $1 AND m.seq > $2 AND m.seq < $3 AND +m.expires_at > $4 ORDER BY m.seq LIMIT ${limit(5)}`,
    values: (_set, { author, done, seq, at } = { author: "", done: 0, seq: 0, at: 0 }) => [author, done, seq, at],
  },
};
