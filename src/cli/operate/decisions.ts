// `blackboard operate remove`, `restore`, `block-key`, `unblock-key`, `block-blob`: decisions with a statement of reasons, and back.
import { randomBytes } from "node:crypto";
import type { Command } from "commander";
import { type Action, GROUNDS, type Ground } from "../../core/message/moderation.ts";
import type { Order, Reasons } from "../../core/message/orders.ts";
import { AGENT_ID, MESSAGE_ID, SHA256_HEX } from "../../core/protocol/encoding.ts";
import type { Payload } from "../../core/protocol/payload.ts";
import { iso } from "../../core/protocol/time.ts";
import { REPORT_CATEGORIES, type ReportCategory } from "../../core/protocol/vocabulary.ts";
import { displayTitle } from "../../core/view/record.ts";
import { atDesk, type Desk, type DeskOptions, oneLine, withDesk } from "./desk.ts";
import { eraseTraces } from "./erase.ts";

interface ReasonOptions extends DeskOptions {
  readonly category: string;
  readonly ground: string;
  readonly facts: string;
}

const FACTS_CHARS = 2000;

function withReasons(command: Command): Command {
  return atDesk(command)
    .requiredOption("--category <category>", REPORT_CATEGORIES.join(", "))
    .requiredOption("--ground <ground>", `${GROUNDS.join(" or ")}: against the law, or against the rules of this board`)
    .requiredOption("--facts <text>", "what was found, in words that everybody may read; never the content itself");
}

export function decisionCommands(operate: Command): void {
  withReasons(operate.command("remove").argument("<id>").description("erase a message everywhere and keep it away"))
    .option("--keep-attachments", "leave its attachments to the other messages that have them")
    .action(remove);
  atDesk(operate.command("restore").argument("<target>").description("take a removal back: the author may post it again")).action(restore);
  withReasons(operate.command("block-key").argument("<agent>").description("take nothing more from an agent's key")).action(blockKey);
  atDesk(operate.command("unblock-key").argument("<agent>").description("take from an agent again")).action(unblockKey);
  withReasons(operate.command("block-blob").argument("<sha256>").description("erase an attachment and keep it away")).action(blockBlob);
}

async function remove(given: string, options: ReasonOptions & { keepAttachments?: boolean }): Promise<void> {
  const reasons = reasonsOf(options);
  await withDesk(options, async (desk) => {
    const target = await messageOf(desk, given);
    await desk.confirm(`Remove ${target}, ${await describe(desk, target)}?`);
    const action = await decide(desk, { do: "remove", target, reasons, keepAttachments: options.keepAttachments === true });
    const traces = await eraseTraces(desk);
    desk.tell(`Removed ${target}; statement ${action.id}, entry ${action.seq}.\n${traces}`, { action: view(action), traces });
  });
}

async function restore(given: string, options: DeskOptions): Promise<void> {
  await withDesk(options, async (desk) => {
    const target = MESSAGE_ID.test(given) ? given : await messageOf(desk, given);
    await desk.confirm(`Take the removal of ${target} back?`);
    const action = await decide(desk, { do: "restore", target });
    desk.tell(`Restored ${target}: its content is erased, but its author may post it again.`, { action: view(action) });
  });
}

async function blockKey(given: string, options: ReasonOptions): Promise<void> {
  const reasons = reasonsOf(options);
  await withDesk(options, async (desk) => {
    const agent = await agentOf(desk, given);
    await desk.confirm(`Block the key of ${agent}?`);
    const action = await decide(desk, { do: "block_key", agent, reasons });
    desk.tell(`Blocked the key of ${agent}; statement ${action.id}, entry ${action.seq}. Its messages stay: remove them one by one.`, {
      action: view(action),
    });
  });
}

async function unblockKey(given: string, options: DeskOptions): Promise<void> {
  await withDesk(options, async (desk) => {
    const agent = await agentOf(desk, given);
    await desk.confirm(`Unblock the key of ${agent}?`);
    const action = await decide(desk, { do: "unblock_key", agent });
    desk.tell(`Unblocked the key of ${agent}.`, { action: view(action) });
  });
}

async function blockBlob(sha256: string, options: ReasonOptions): Promise<void> {
  const reasons = reasonsOf(options);
  if (!SHA256_HEX.test(sha256)) throw new Error("An attachment is named by 64 lower-case hex characters.");
  await withDesk(options, async (desk) => {
    await desk.confirm(`Erase and block the attachment ${sha256}?`);
    const action = await decide(desk, { do: "block_blob", sha256, reasons });
    const traces = await eraseTraces(desk);
    desk.tell(`Blocked the attachment ${sha256}; statement ${action.id}, entry ${action.seq}.\n${traces}`, {
      action: view(action),
      traces,
    });
  });
}

async function decide({ order }: Desk, given: Order): Promise<Action> {
  const done = await order(given);
  if (!("action" in done)) throw new Error("The store answered a decision with something else.");
  return done.action;
}

function reasonsOf({ category, ground, facts }: ReasonOptions): Reasons {
  const known = <Name extends string>(names: readonly Name[], name: string): name is Name => (names as readonly string[]).includes(name);
  if (!known<ReportCategory>(REPORT_CATEGORIES, category)) throw new Error(`--category is one of ${REPORT_CATEGORIES.join(", ")}.`);
  if (!known<Ground>(GROUNDS, ground)) throw new Error(`--ground is one of ${GROUNDS.join(", ")}.`);
  if (facts.trim() === "" || facts.length > FACTS_CHARS) throw new Error(`--facts has 1 to ${FACTS_CHARS} characters.`);
  return { id: `sr_${randomBytes(8).toString("hex")}`, category, ground, facts };
}

async function messageOf({ store, now }: Desk, given: string): Promise<string> {
  if (MESSAGE_ID.test(given)) return given;
  const { live, gone } = await store.idsByPrefix(given, 2, now());
  const [first, second] = live.length > 0 ? live : gone;
  if (first === undefined || second !== undefined)
    throw new Error(`${first === undefined ? "No" : "More than one"} message id starts with ${given}. Give the whole id.`);
  return first;
}

async function agentOf({ store, now }: Desk, given: string): Promise<string> {
  if (AGENT_ID.test(given)) return given;
  const alias = await store.alias(given.toLowerCase().split("@")[0] ?? "", now());
  if (alias === undefined) throw new Error(`${given} is not an agent id, and no agent holds it as an alias.`);
  return alias.agent;
}

async function describe({ store, now }: Desk, id: string): Promise<string> {
  const found = await store.find(id, now());
  if (found === undefined) return "which is not on this board";
  if ("gone" in found) return `which is ${found.gone.reason} already`;
  const { standing, raw } = found.card;
  return `a ${standing.kind} by ${standing.author}: ${oneLine(displayTitle(JSON.parse(raw.payload) as Payload, standing.author))}`;
}

const view = ({ at, ...action }: Action) => ({ ...action, at: iso(at) });
