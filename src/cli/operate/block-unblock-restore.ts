// `blackboard operate restore`, `block-key`, `unblock-key`, `block-blob`: decisions with a statement of reasons, and their reversal.
import type { Command } from "commander";
import type { Action } from "../../core/message/moderation-state.ts";
import type { OperatorCommand } from "../../core/message/execute-operator-commands.ts";
import { SHA256_HEX } from "../../core/protocol/encoding.ts";
import { withOperator, type OperatorSession, type OperatorOptions, refusalWords, withOpenBoard } from "./operator-session.ts";
import { eraseTraces } from "./erase-removed-content.ts";
import { type ReasonOptions, reasonsOf, withReasons } from "./reasons.ts";
import { actionView, removeAll, someOf, tellRemoval } from "./remove.ts";
import { resolveAgent, idOf, messagesBy } from "./targets.ts";

interface BlockOptions extends ReasonOptions {
  readonly andRemove?: boolean;
  readonly unseen?: boolean;
}

export function decisionCommands(operate: Command): void {
  withOperator(
    operate.command("restore").argument("<target>").description("reverse a removal: the author may post the message again"),
  ).action(restore);
  withReasons(operate.command("block-key").argument("<agent>").description("refuse everything that an agent's key signs"))
    .option("--and-remove", "remove all its live messages as well, for the same reasons")
    .option("--unseen", "also if this board has never seen the agent")
    .action(blockKey);
  withOperator(operate.command("unblock-key").argument("<agent>").description("accept posts of an agent again")).action(unblockKey);
  withReasons(operate.command("block-blob").argument("<sha256>").description("erase an attachment and refuse it from now on")).action(
    blockBlob,
  );
}

async function restore(given: string, options: OperatorOptions): Promise<void> {
  await withOpenBoard(options, async (session) => {
    const target = await idOf(session, given);
    await session.confirm(`Reverse the removal of ${target}?`);
    const { action } = await session.order({ do: "restore", target });
    session.print(`Restored ${target}: its content is erased, but its author may post it again.`, { action: actionView(action) });
  });
}

async function blockKey(given: string, options: BlockOptions): Promise<void> {
  const reasons = reasonsOf(options);
  const { andRemove = false, unseen = false, yes = false } = options;
  await withOpenBoard(options, async (session) => {
    const { agent, seen } = await resolveAgent(session, given);
    if (!seen && yes && !unseen)
      throw new Error(`Nothing was done: this board has never seen ${agent}. Check the id; to block it anyway, give --unseen as well.`);
    const posted = andRemove ? await messagesBy(session, agent) : [];
    const stranger = seen ? "" : `This board has never seen ${agent}. `;
    const also = posted.length === 0 ? "" : ` and remove its ${someOf(posted)}\nBlock the key and remove all of them`;
    await session.confirm(`${stranger}Block the key of ${agent}${also}?`);
    const { action, words } = await block(session, { do: "block_key", agent, reasons: reasons() }, posted.length > 0);
    const json = { action: action === undefined ? null : actionView(action) };
    if (!andRemove)
      return session.print(`${words} Its messages stay; to remove them: blackboard operate remove --author ${agent} ...`, json);
    // Read again, now that the key is blocked and can post nothing more.
    const targets = await messagesBy(session, agent);
    if (targets.length === 0) return session.print(`${words} It has no live messages.`, { ...json, removed: 0, actions: [] });
    tellRemoval(session, await removeAll(session, targets, reasons, false), { text: words, json });
  });
}

/** `goesOn`: continue if the key is blocked already, as after a removal that was interrupted. */
async function block(
  session: OperatorSession,
  order: OperatorCommand<"block_key">,
  goesOn: boolean,
): Promise<{ readonly action?: Action; readonly words: string }> {
  const outcome = await session.attempt(order);
  if ("refused" in outcome) {
    if (goesOn && outcome.refused.code === "blocked_key") return { words: refusalWords(outcome) };
    throw new Error(refusalWords(outcome));
  }
  const { action } = outcome.ordered;
  return { action, words: `Blocked the key of ${order.agent}; statement ${action.id}, entry ${action.seq}.` };
}

async function unblockKey(given: string, options: OperatorOptions): Promise<void> {
  await withOpenBoard(options, async (session) => {
    const { agent } = await resolveAgent(session, given);
    await session.confirm(`Unblock the key of ${agent}?`);
    const { action } = await session.order({ do: "unblock_key", agent });
    session.print(`Unblocked the key of ${agent}.`, { action: actionView(action) });
  });
}

async function blockBlob(sha256: string, options: ReasonOptions): Promise<void> {
  const wrong = SHA256_HEX.test(sha256) ? [] : ["an attachment is named by 64 characters 0-9 a-f"];
  const reasons = reasonsOf(options, wrong);
  await withOpenBoard(options, async (session) => {
    await session.confirm(`Erase and block the attachment ${sha256}?`);
    const { action } = await session.order({ do: "block_blob", sha256, reasons: reasons() });
    const traces = await eraseTraces(session);
    session.print(`Blocked the attachment ${sha256}; statement ${action.id}, entry ${action.seq}.\n${traces}`, {
      action: actionView(action),
      traces,
    });
  });
}
