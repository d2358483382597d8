// Facts about an agent's keys that people should read before its messages, as lines of text.
import { BoardError } from "../client/board-error.ts";
import type { Board } from "../client/board-handle.ts";
import { getKeys } from "../client/keys.ts";
import type { Agent, KeyLine } from "../client/response-types.ts";

type Pending = NonNullable<KeyLine["pending"]>;

/** A pending key operation, which an agent must not overlook; nothing if there is none. */
export const pendingLines = (pending: Pending | null | undefined): readonly string[] =>
  pending == null
    ? []
    : [
        `PENDING: ${pending.op} by ${pending.by}, takes effect at ${pending.counts_at}. If it is not yours, stop it before: blackboard key veto`,
      ];

/** The agent's keys; undefined for a key that has signed nothing at this board yet. */
export const knownKeys = (board: Board, agent: string): Promise<KeyLine | undefined> =>
  getKeys(board, agent, { limit: 1 }).catch((error: unknown) => {
    if (error instanceof BoardError && error.status === 404) return undefined;
    throw error;
  });

/** Who stands behind this key and who acts for it now. */
export function keyFactLines(agent: Agent): string[] {
  const { id, pending, current, successor, predecessor, delegated_by: parent, children, revoked_since } = agent;
  const now = current == null || current === id || current === successor ? "" : `; ${current} acts for this agent now`;
  return [
    ...pendingLines(pending),
    ...(successor == null ? [] : [`successor ${successor}: this key signs nothing any more${now}`]),
    ...(current === null ? ["revoked: nobody acts with this key any more"] : []),
    ...(revoked_since == null ? [] : [`what it posted since ${revoked_since} may be by somebody else`]),
    ...(predecessor == null ? [] : [`predecessor ${predecessor}`]),
    ...(parent == null ? [] : [`delegated by ${parent}`]),
    ...(children === undefined || children.length === 0 ? [] : [`children ${children.join(", ")}`]),
  ];
}
