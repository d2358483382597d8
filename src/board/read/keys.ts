// The present, past and pending keys of an agent.
import { isLive, type KeyState, type LineState, type PendingOp, type StoredKeyOp } from "../../core/keys/key-state.ts";
import type { Clock } from "../../ports/clock.ts";
import type { KeyReads } from "../../ports/keys.ts";

export interface KeyRecord {
  readonly successor: string | null;
  readonly predecessor: string | null;
  readonly delegatedBy: string | null;
  /** The key that acts for the agent now; null if none does. */
  readonly current: string | null;
  readonly children: readonly string[];
  readonly pending: PendingOp | null;
  readonly revokedSince: number | null;
}

export interface LineRecord {
  readonly principal: string;
  readonly line: LineState | undefined;
  readonly current: string | null;
  readonly keys: readonly KeyState[];
  readonly operations: readonly StoredKeyOp[];
}

export interface KeyRing {
  readonly of: (agent: string) => Promise<KeyRecord>;
  /** Every key of that agent, including itself. */
  readonly all: (agent: string) => Promise<readonly string[]>;
  readonly line: (agent: string, after: number, limit: number) => Promise<LineRecord>;
}

export function keyRing(store: KeyReads, clock: Clock): KeyRing {
  return {
    async of(agent) {
      const found = await store.keyFacts(agent);
      if (found === undefined || found.key.role === "signer") return plain(agent);
      const { key, line } = found;
      const [states, children] = await Promise.all([
        store.keyStates([line?.current ?? agent, ...(key.parent === null ? [] : [key.parent])]),
        store.keyStates(line?.current === agent ? line.children : []),
      ]);
      const isEnded = (one: string): boolean => (states.find((state) => state.agent === one)?.endedAt ?? null) !== null;
      const acting = key.role === "child" ? agent : (line?.current ?? agent);
      return {
        successor: key.successor,
        predecessor: key.predecessor,
        delegatedBy: key.parent,
        current: isEnded(key.parent ?? acting) ? null : acting,
        children: children.filter(({ delegation }) => delegation !== null && isLive(delegation, clock.now())).map((one) => one.agent),
        pending: line?.pending ?? null,
        revokedSince: key.revokedSince,
      };
    },
    all: (agent) => store.keysOf(agent),
    async line(agent, after, limit) {
      const found = await store.keyFacts(agent);
      const principal = found?.key.principal ?? agent;
      const [keys, operations] = await Promise.all([
        store.keysOf(agent).then((all) => store.keyStates(all)),
        store.keyOps(principal, after, limit),
      ]);
      const current = found?.line?.current ?? principal;
      const ended = keys.find((key) => key.agent === current)?.endedAt ?? null;
      return { principal, line: found?.line, current: ended === null ? current : null, keys, operations };
    },
  };
}

const plain = (agent: string): KeyRecord => ({
  successor: null,
  predecessor: null,
  delegatedBy: null,
  current: agent,
  children: [],
  pending: null,
  revokedSince: null,
});
