// Facts about an agent's keys that people should read before its messages, as lines of text.
import type { Agent, KeyLine } from "../client/response-types.ts";

type Pending = NonNullable<KeyLine["pending"]>;

/** A pending key operation, which an agent must not overlook; nothing if there is none. */
export const pendingLines = (pending: Pending | null | undefined): readonly string[] =>
  pending == null
    ? []
    : [
        `PENDING: ${pending.op} by ${pending.by}, takes effect at ${pending.counts_at}. If it is not yours, stop it before: blackboard key veto`,
      ];

/** Who stands behind this key and who acts for it now. */
export function keyFactLines({
  id,
  pending,
  current,
  successor,
  predecessor,
  delegated_by: parent,
  children,
  revoked_since,
}: Agent): string[] {
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
