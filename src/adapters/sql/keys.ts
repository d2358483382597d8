// Keys, their lines and their operations, for readers.
import type { KeyState, LineState } from "../../core/keys/key-state.ts";
import type { KeyReads } from "../../ports/keys.ts";
import { rowsFrom } from "./columns.ts";
import { first, spelled, type SqlRows } from "./dialect.ts";
import { toState } from "./key-rows.ts";

/** More keys than a line can have; of the children of many years, some are left out. */
const KEYS_OF_ONE = 1000;

const KEY = "SELECT state FROM keys WHERE agent = $1";
const KEYS = spelled(({ each }) => `SELECT k.state FROM ${each("$1", "text", "g")} JOIN keys k ON k.agent = g.value`);
const LINE = "SELECT state FROM key_lines WHERE principal = $1";
const MEMBERS = `SELECT o.agent FROM keys k JOIN keys o ON o.principal = k.principal AND o.role <> 'signer'
  WHERE k.agent = $1 AND k.role <> 'signer' ORDER BY CASE o.role WHEN 'own' THEN 0 ELSE 1 END, o.agent LIMIT ${KEYS_OF_ONE}`;
const OPS = rowsFrom("key_ops");
const OP = `${OPS} WHERE id = $1`;
const OPS_OF = `${OPS} WHERE principal = $1 AND seq > $2 ORDER BY seq LIMIT $3`;
const OP_AT = `${OPS} WHERE seq = $1`;
const PUBLIC_KEY = "SELECT pk FROM agents WHERE id = $1";

export const keyReads = (rows: SqlRows): KeyReads => ({
  async keyFacts(agent) {
    const found = await first(rows, KEY, [agent]);
    if (found === undefined) return undefined;
    const key = toState<KeyState>(found);
    const line = await first(rows, LINE, [key.principal]);
    return { key, line: line === undefined ? undefined : toState<LineState>(line) };
  },
  keyStates: async (agents) =>
    agents.length === 0 ? [] : (await rows.all(KEYS(rows), [rows.dialect.list(agents)])).map(toState<KeyState>),
  async keysOf(agent) {
    const found = (await rows.all<{ agent: string }>(MEMBERS, [agent])).map((one) => one.agent);
    return found.length === 0 ? [agent] : found;
  },
  keyOp: (id) => first(rows, OP, [id]),
  keyOps: async (principal, after, limit) => rows.all(OPS_OF, [principal, after, limit]),
  keyOpAt: (seq) => first(rows, OP_AT, [seq]),
  publicKey: async (agent) => (await first<{ pk: string }>(rows, PUBLIC_KEY, [agent]))?.pk,
});
