// `blackboard operate reports`: lists reports, shows one, and dismisses those that need no decision.
import type { Command } from "commander";
import type { Notice, NoticeState } from "../../core/message/moderation-state.ts";
import { REPORT_ID } from "../../core/protocol/encoding.ts";
import { iso } from "../../core/protocol/time.ts";
import { visible } from "../../core/view/fence.ts";
import { UsageFault } from "../failure.ts";
import { onlyNames } from "../group.ts";
import { withOperator, type OperatorSession, type OperatorOptions, printable, quoted, withOpenBoard } from "./operator-session.ts";

const STATES: Readonly<Record<string, NoticeState | undefined>> = {
  open: "received",
  actioned: "actioned",
  dismissed: "dismissed",
  all: undefined,
};
const PAGE = 100;

export function reportsCommand(operate: Command): void {
  const reports = onlyNames(operate.command("reports")).description("list and close reports");
  withOperator(reports.command("list").description("reports, oldest first"))
    .option("--state <state>", "open, actioned, dismissed or all", "open")
    .action(list);
  withOperator(reports.command("show").argument("<report>").description("show one report with everything that the reporter wrote")).action(
    show,
  );
  withOperator(reports.command("dismiss").argument("<report>").description("close a report without a decision")).action(dismiss);
}

async function list(options: OperatorOptions & { state: string }): Promise<void> {
  if (!Object.hasOwn(STATES, options.state)) throw new UsageFault(`--state is one of ${Object.keys(STATES).join(", ")}`);
  await withOpenBoard(options, async ({ store, print }) => {
    const found: Notice[] = [];
    for (let page: readonly Notice[]; ; found.push(...page)) {
      page = await store.notices({ state: STATES[options.state], after: found.at(-1), limit: PAGE });
      if (page.length === 0) break;
    }
    const line = ({ id, at, category, target, state, explanation }: Notice) =>
      `${id}  ${iso(at)}  ${state.padEnd(9)}  ${category.padEnd(9)}  ${target}  ${printable(explanation, 60)}`;
    print(found.length === 0 ? "There are none." : found.map(line).join("\n"), { reports: found.map(view) });
  });
}

async function show(id: string, options: OperatorOptions): Promise<void> {
  requireReportId(id);
  await withOpenBoard(options, async ({ store, print }) => {
    const notice = await noticeOf(store, id);
    const { at, category, target, state, explanation, contact } = notice;
    const head = [`${id}, ${state}`, `received  ${iso(at)}`, `category  ${category}`, `target    ${target}`];
    const words = explanation === "" ? "(the text was erased after the case was closed)" : visible(explanation);
    print([...head, `contact   ${contact === null ? "none" : printable(contact)}`, "", words].join("\n"), { report: view(notice) });
  });
}

async function dismiss(id: string, options: OperatorOptions): Promise<void> {
  requireReportId(id);
  await withOpenBoard(options, async ({ store, order, confirm, print }) => {
    const { category, target } = await noticeOf(store, id);
    await confirm(`Dismiss the report ${id}, ${category}, about ${target}?`);
    const { notice } = await order({ do: "dismiss", notice: id });
    print(`Dismissed ${id}.`, { report: view(notice) });
  });
}

function requireReportId(id: string): void {
  if (!REPORT_ID.test(id))
    throw new UsageFault(`${quoted(id)} is not a report id: rp_ and 16 characters 0-9 a-f, as "reports list" shows them`);
}

async function noticeOf(store: OperatorSession["store"], id: string): Promise<Notice> {
  const notice = await store.notice(id);
  if (notice === undefined) throw new Error(`There is no report ${id}.`);
  return notice;
}

const view = ({ id, at, category, target, state, closedAt, explanation, contact }: Notice) => ({
  id,
  state,
  received_at: iso(at),
  closed_at: closedAt === null ? null : iso(closedAt),
  category,
  target,
  explanation,
  contact,
});
