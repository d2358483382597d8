// Compares the agents' keys in the store with those that follow from its log, computed by the TypeScript checker and by the Python checker.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { connect } from "../../src/client/board-handle.ts";
import { KeyAudit } from "../../src/client/node/audit-agent-keys.ts";
import { verifyLog } from "../../src/client/verify-log.ts";
import type { KeyState, LineState } from "../../src/core/keys/key-state.ts";
import { placeOf } from "../../src/storage/open.ts";
import type { TestBoard } from "../../test/support/board.ts";
import { configAt } from "../../test/support/operator.ts";
import { emptyDirectory } from "../../test/support/process.ts";
import { CLIENT, runPython } from "../../test/support/python.ts";

type Facts = Readonly<Record<string, unknown>>;
const ofKey = ({ principal, role, predecessor, successor, endedAt, revokedSince, parent }: KeyState): Facts => ({
  principal,
  role,
  predecessor,
  successor,
  ended_at: endedAt,
  revoked_since: revokedSince,
  parent,
});
const ofLine = ({ current, members, next, recovery, pending }: LineState): Facts => ({
  current,
  members: [...members],
  next,
  recovery,
  pending: pending?.id ?? null,
});

export async function keysByLog(board: TestBoard): Promise<{ readonly keys: number; readonly faults: readonly string[] }> {
  const audit = new KeyAudit();
  await verifyLog(connect(board.url), { audit });
  const file = join(emptyDirectory(), "head.json");
  const { code, stderr } = await runPython([CLIENT, "--url", board.url, "--json", "verify-log", "--remember", file]);
  if (code !== 0) return { keys: 0, faults: [`client.py: ${stderr}`] };
  const python = (JSON.parse(readFileSync(file, "utf8")) as { keys: Record<"keys" | "lines", Record<string, Facts>> }).keys;
  const { store } = await placeOf(configAt(board.data)).openBeside();
  const faults: string[] = [];
  const compare = (what: string, stored: Facts | undefined, logged: Facts | undefined, other: Facts | undefined): void => {
    const named =
      other &&
      Object.fromEntries(Object.keys(logged ?? {}).map((name) => [name, name === "pending" ? pendingId(other[name]) : other[name]]));
    if (!isDeepStrictEqual(stored, logged)) faults.push(`${what}: stored ${JSON.stringify(stored)}, by the log ${JSON.stringify(logged)}`);
    if (!isDeepStrictEqual(logged, named))
      faults.push(`${what}: in Python ${JSON.stringify(named)}, in TypeScript ${JSON.stringify(logged)}`);
  };
  try {
    const { keys, lines } = audit.book;
    for (const agent of new Set([...keys.keys(), ...Object.keys(python.keys)])) {
      const facts = await store.keyFacts(agent);
      const logged = keys.get(agent);
      compare(`key ${agent}`, facts && ofKey(facts.key), logged && ofKey(logged), python.keys[agent]);
      const principal = logged?.principal ?? agent;
      const line = lines.get(principal);
      compare(`line ${principal}`, facts?.line && ofLine(facts.line), line && ofLine(line), python.lines[principal]);
    }
    return { keys: keys.size, faults };
  } finally {
    await store.close();
  }
}

const pendingId = (pending: unknown): unknown => (pending === null ? null : (pending as { id: string }).id);
