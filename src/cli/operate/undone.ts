// What a backup undoes: the operator's acts that are in the replaced database and not in the board any more.
import { isDeepStrictEqual } from "node:util";
import type { AttachmentBlock } from "../../adapters/sql/moderation-rows.ts";
import type { Action, Switches } from "../../core/message/moderation-state.ts";
import type { OperatorCommand } from "../../core/message/execute-operator-commands.ts";
import type { Acts, Place } from "../../storage/storage-backend.ts";

/** A decision that was made after the backup and is in force, and the command for it. */
export interface LostDecision extends Action {
  readonly order: "remove" | "block-key" | "block-blob";
  readonly keepAttachments: boolean;
  /** A removal of a message that is not in the backup cannot be repeated. */
  readonly here: boolean;
}

export interface Undone {
  /** Newest first. */
  readonly lost: readonly LostDecision[];
  /** Decisions that are in force in the backup, and were reversed after it. */
  readonly reversed: readonly Action[];
  /** The values of switches before the restore, if the backup has others. */
  readonly switches: Partial<Switches>;
  /** Reports that were closed after the backup: the board has them as open again. */
  readonly reopened: readonly string[];
  /** The number of reports after the backup. */
  readonly lostReports: number;
  /** The last entry that readers have seen, if the backup ends before it. */
  readonly givenOut: number | undefined;
}

/** `was` is the state of the replaced database; `board` is the backup, or the board that was restored from it. */
export async function undoneBy(was: Acts, board: Place): Promise<Undone> {
  const is = await board.acts(was.actions.map(({ target }) => target));
  const decided = new Map(is.actions.map(({ id, state }) => [id, state]));
  const open = new Set(is.notices.filter(({ state }) => state === "received").map(({ id }) => id));
  const known = new Set(is.notices.map(({ id }) => id));
  const { readOnly, ...pow } = was.switches;
  return {
    lost: was.actions
      .filter(({ id, state }) => state === "in_force" && !decided.has(id))
      .map((action) => lostDecision(action, was.attachments, is.attached)),
    reversed: was.actions.filter(({ id, state }) => state === "reversed" && decided.get(id) === "in_force"),
    switches: {
      ...(readOnly === is.switches.readOnly ? {} : { readOnly }),
      // One command sets all switches.
      ...(isDeepStrictEqual({ ...is.switches, ...pow }, is.switches) ? {} : pow),
    },
    reopened: was.notices.filter(({ id, state }) => state !== "received" && open.has(id)).map(({ id }) => id),
    lostReports: was.notices.filter(({ id }) => !known.has(id)).length,
    givenOut: was.seq > is.seq ? was.seq : undefined,
  };
}

function lostDecision(action: Action, attachments: readonly AttachmentBlock[], attached: Acts["attached"]): LostDecision {
  const { id, target } = action;
  const blocked = attachments.filter((block) => block.action === id);
  const order = orderOf(action, blocked);
  return {
    ...action,
    order,
    keepAttachments: order === "remove" && attached.get(target) === true && blocked.length === 0,
    here: order !== "remove" || attached.has(target),
  };
}

/** An attachment has an id like a message, but only a decision about an attachment blocks it. */
function orderOf({ visibility, target }: Action, blocked: readonly AttachmentBlock[]): LostDecision["order"] {
  if (visibility === "key_blocked") return "block-key";
  return blocked.some(({ name }) => name === target) ? "block-blob" : "remove";
}

/**
 * The commands that do it again, in their original order: a decision that was reversed and made again needs that order. A decision keeps
 * its statement. People know the decision by the statement's id, and the same id is not accepted twice.
 */
export function ordersOf({ lost, reversed, switches }: Undone): readonly OperatorCommand[] {
  return [
    ...reversed.map(({ visibility, target }): OperatorCommand =>
      visibility === "key_blocked" ? { do: "unblock_key", agent: target } : { do: "restore", target },
    ),
    ...lost
      .filter(({ here }) => here)
      .toReversed()
      .map(orderFor),
    ...(Object.keys(switches).length === 0 ? [] : [{ do: "switch", switches } as const]),
  ];
}

function orderFor({ order, target, keepAttachments, id, ground, category, facts }: LostDecision): OperatorCommand {
  const reasons = { id, ground, category, facts };
  if (order === "block-key") return { do: "block_key", agent: target, reasons };
  if (order === "block-blob") return { do: "block_blob", sha256: target, reasons };
  return { do: "remove", target, reasons, keepAttachments };
}
