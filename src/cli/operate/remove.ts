// `blackboard operate remove`: removes one message or many; all are checked before the first is erased.
import type { Command } from "commander";
import type { Action, Reasons } from "../../core/message/moderation-state.ts";
import type { OperatorCommand } from "../../core/message/execute-operator-commands.ts";
import { iso } from "../../core/protocol/time.ts";
import { plural } from "../../core/text/plural.ts";
import { UsageFault } from "../failure.ts";
import { type OperatorSession, refusalWords, withOpenBoard } from "./operator-session.ts";
import { eraseTraces } from "./erase-removed-content.ts";
import { type ReasonOptions, reasonsOf, withReasons } from "./reasons.ts";
import { resolveAgent, idsIn, messagesBy, messagesOf, type Target } from "./targets.ts";

interface RemoveOptions extends ReasonOptions {
  readonly author?: string;
  readonly from?: string;
  readonly keepAttachments?: boolean;
}

/** Removals per transaction, so that posts of others come in between. */
const BATCH = 100;
/** The number of messages that a confirmation shows. */
const SHOWN = 5;

export function removeCommand(operate: Command): void {
  withReasons(operate.command("remove").argument("[ids...]").description("erase messages everywhere and refuse them from now on"))
    .option("--author <agent>", "all live messages of this agent, by id or alias, instead of ids")
    .option("--from <file>", "ids from a file, one per line, instead of ids; - reads standard input")
    .option("--keep-attachments", "keep attachments that other messages also have")
    .action(remove);
}

async function remove(ids: readonly string[], options: RemoveOptions): Promise<void> {
  const { author, from, keepAttachments = false } = options;
  const ways = [ids.length > 0, author !== undefined, from !== undefined].filter(Boolean).length;
  const which =
    ways === 1 ? [] : [`${ways === 0 ? "no message is named" : "messages are named in more than one way"}: give ids, --author or --from`];
  const reasons = reasonsOf(options, which);
  if (from === "-" && options.yes !== true)
    throw new UsageFault("with --from - the confirmation cannot be read from standard input: give --yes as well");
  await withOpenBoard(options, async (session) => {
    const named =
      author === undefined ? await messagesOf(session, from === undefined ? ids : await idsIn(from)) : await allBy(session, author);
    const targets = named.filter(({ removed }) => !removed);
    const already = named.filter(({ removed }) => removed).map(({ id }) => id);
    // An earlier removal may have been interrupted before its traces were erased.
    if (targets.length === 0) throw new Error(`Nothing was done. ${alreadyWords(already)}\n${await tracesOf(session, true)}`);
    await session.confirm(question(targets));
    tellRemoval(session, await removeAll(session, targets, reasons, keepAttachments), { already });
  });
}

async function allBy(session: OperatorSession, given: string): Promise<readonly Target[]> {
  const { agent, seen } = await resolveAgent(session, given);
  const found = await messagesBy(session, agent);
  if (found.length > 0) return found;
  throw new Error(`Nothing was done: ${seen ? `${agent} has no live messages` : `this board has never seen ${agent}`}.`);
}

const question = (targets: readonly Target[]): string => {
  const [first] = targets;
  return targets.length === 1 ? `Remove ${first?.id}, ${first?.words}?` : `${someOf(targets)}\nRemove all ${targets.length} messages?`;
};

/** The number of messages, and the first few. */
export function someOf(targets: readonly Target[]): string {
  const lines = targets.slice(0, SHOWN).map(({ id, words }) => `  ${id.slice(0, 12)}, ${words}`);
  const more = targets.length > SHOWN ? [`  and ${targets.length - SHOWN} more`] : [];
  return [`${plural(targets.length, "message")}:`, ...lines, ...more].join("\n");
}

/** The outcome for each message. */
export interface RemovalResult {
  readonly actions: readonly Action[];
  /** Somebody else removed it first. */
  readonly already: readonly string[];
  readonly failed: readonly { readonly id: string; readonly reason: string }[];
  readonly traces: string;
}

/** Executes in batches, each durable before the next begins. If one fails, those before it stay done and no more are tried. */
export async function removeAll(
  session: OperatorSession,
  targets: readonly Pick<Target, "id">[],
  reasons: () => Reasons,
  keepAttachments: boolean,
): Promise<RemovalResult> {
  const [actions, already, failed]: [Action[], string[], { id: string; reason: string }[]] = [[], [], []];
  for (let i = 0; i < targets.length; i += BATCH) {
    const batch = targets.slice(i, i + BATCH);
    const orders = batch.map(({ id }): OperatorCommand<"remove"> => ({ do: "remove", target: id, reasons: reasons(), keepAttachments }));
    try {
      for (const [j, outcome] of (await session.orders(orders)).entries()) {
        const id = batch[j]?.id ?? "";
        if ("refused" in outcome && outcome.refused.code === "removed") already.push(id);
        else if ("refused" in outcome) failed.push({ id, reason: refusalWords(outcome) });
        else actions.push(outcome.ordered.action);
      }
    } catch (error) {
      failed.push(...targets.slice(i).map(({ id }) => ({ id, reason: (error as Error).message })));
      break;
    }
  }
  return { actions, already, failed, traces: actions.length === 0 ? "" : await tracesOf(session, failed.length > 0) };
}

/** A decision as the commands print it in JSON. */
export const actionView = ({ at, ...action }: Action) => ({ ...action, at: iso(at) });

/** The messages are removed even if erasing their traces fails. */
async function tracesOf(session: OperatorSession, troubled: boolean): Promise<string> {
  if (!troubled) return eraseTraces(session);
  return eraseTraces(session).catch((error: unknown) => `Their traces could not be erased: ${(error as Error).message}`);
}

/** `already`: messages that were removed before; `text` and `json` report other actions of the command. */
export function tellRemoval(
  session: OperatorSession,
  { actions, already, failed, traces }: RemovalResult,
  before: { readonly already?: readonly string[]; readonly text?: string; readonly json?: object },
): void {
  const skipped = [...(before.already ?? []), ...already];
  const lines = [
    before.text ?? "",
    actions.length === 0 ? "" : removedWords(actions),
    skipped.length === 0 ? "" : alreadyWords(skipped),
    traces,
  ];
  const json = { ...before.json, removed: actions.length, actions: actions.map(actionView), already_removed: skipped };
  const text = lines.filter((line) => line !== "").join("\n");
  if (text !== "" || session.json) session.print(text, { ...json, not_removed: failed, traces });
  if (failed.length > 0) throw new Error(failedWords(actions.length, failed));
}

function failedWords(done: number, failed: RemovalResult["failed"]): string {
  const reasons = new Set(failed.map(({ reason }) => reason));
  const which = failed.slice(0, SHOWN).map(({ id }) => id);
  const more = failed.length > SHOWN ? [`and ${failed.length - SHOWN} more`] : [];
  return [
    `${plural(done, "message was", "messages were")} removed, ${failed.length} not: ${[...which, ...more].join(", ")}`,
    ...reasons,
    "Fix that and run the same command again: removed messages are skipped.",
  ].join("\n");
}

function removedWords(actions: readonly Action[]): string {
  const [first] = actions;
  if (actions.length === 1) return `Removed ${first?.target}; statement ${first?.id}, entry ${first?.seq}.`;
  return `Removed ${plural(actions.length, "message")}, entries ${first?.seq} to ${actions.at(-1)?.seq}; each has its own statement, which --json lists.`;
}

function alreadyWords(ids: readonly string[]): string {
  const [first] = ids;
  return ids.length === 1
    ? `The message ${first} is already removed.`
    : `${plural(ids.length, "message is", "messages are")} already removed.`;
}
