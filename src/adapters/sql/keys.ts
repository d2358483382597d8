// Keys, their lines and their operations, for readers.
import type { KeyState, LineState, StoredKeyOp } from "../../core/keys/key-state.ts";
import type { KeyFacts } from "../../ports/keys.ts";
import { first, spelled, type SqlRows } from "./dialect.ts";
import { KEY_OP_COLUMNS, toState } from "./key-rows.ts";

/** More keys than a line can have; of the children of many years, some are left out. */
const KEYS_OF_ONE = 1000;

const KEY = "SELECT state FROM keys WHERE agent = $1";
const KEYS = spelled(({ each }) => `SELECT k.state FROM ${each("$1", "text", "g")} JOIN keys k ON k.agent = g.value`);
const LINE = "SELECT state FROM key_lines WHERE principal = $1";
const MEMBERS = `SELECT o.agent FROM keys k JOIN keys o ON o.principal = k.principal AND o.role <> 'signer'
  WHERE k.agent = $1 AND k.role <> 'signer' ORDER BY CASE o.role WHEN 'own' THEN 0 ELSE 1 END, o.agent LIMIT ${KEYS_OF_ONE}`;
const OP = `SELECT ${KEY_OP_COLUMNS} FROM key_ops WHERE id = $1`;
const OPS = `SELECT ${KEY_OP_COLUMNS} FROM key_ops WHERE principal = $1 AND seq > $2 ORDER BY seq LIMIT $3`;
const OP_AT = `SELECT ${KEY_OP_COLUMNS} FROM key_ops WHERE seq = $1`;
const PUBLIC_KEY = "SELECT pk FROM agents WHERE id = $1";

export async function keyFacts(rows: SqlRows, agent: string): Promise<KeyFacts | undefined> {
  const found = await first(rows, KEY, [agent]);
  if (found === undefined) return undefined;
  const key = toState<KeyState>(found);
  const line = await first(rows, LINE, [key.principal]);
  return { key, line: line === undefined ? undefined : toState<LineState>(line) };
}

export async function keyStates(rows: SqlRows, agents: readonly string[]): Promise<readonly KeyState[]> {
  return agents.length === 0 ? [] : (await rows.all(KEYS(rows), [rows.dialect.list(agents)])).map(toState<KeyState>);
}

export async function keysOf(rows: SqlRows, agent: string): Promise<readonly string[]> {
  const found = (await rows.all<{ agent: string }>(MEMBERS, [agent])).map((one) => one.agent);
  return found.length === 0 ? [agent] : found;
}

export const keyOp = (rows: SqlRows, id: string): Promise<StoredKeyOp | undefined> => first(rows, OP, [id]);
export async function keyOps(rows: SqlRows, principal: string, after: number, limit: number): Promise<readonly StoredKeyOp[]> {
  return rows.all(OPS, [principal, after, limit]);
}

export const keyOpAt = (rows: SqlRows, seq: number): Promise<StoredKeyOp | undefined> => first(rows, OP_AT, [seq]);

export async function publicKey(rows: SqlRows, agent: string): Promise<string | undefined> {
  return (await first<{ pk: string }>(rows, PUBLIC_KEY, [agent]))?.pk;
}
