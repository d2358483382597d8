// A plan in a file, one message per line: reads it, posts the messages together, and reports line by line.
import type { Command } from "commander";
import { z } from "zod";
import { getAlias } from "../client/aliases.ts";
import type { File } from "../client/sign-message.ts";
import { type Planned, requireNames } from "../client/plan-local-names.ts";
import { checkMany, type PlanAnswer, postMany } from "../client/post-many.ts";
import { AGENT_ID } from "../core/protocol/encoding.ts";
import type { Attachment } from "../core/protocol/payload.ts";
import { jsonIn } from "../core/text/json-in.ts";
import { failureText, jsonText, UsageFault } from "./failure.ts";
import { commitWithFirstUse } from "./commit-next-key.ts";
import { inputText } from "./input-text.ts";
import { Session } from "./session.ts";
import { oneLine } from "./table.ts";

/** The fields that are read here; the board checks the rest. */
const WRITTEN = z.looseObject({
  kind: z.string(),
  name: z.string().min(1).optional(),
  title: z.string().optional(),
  to: z.string().optional(),
  refs: z.array(z.object({ id: z.string() })).optional(),
  attachments: z.array(z.looseObject({ text: z.string().optional() })).optional(),
});

const hasText = (one: Attachment | File): one is File => "text" in one;

/** A message as in the file; an attachment may have its text there. */
type Written = Omit<Planned, "attachments"> & { readonly attachments?: readonly (Attachment | File)[] };

export async function postPlan(command: Command, path: string, dryRun: boolean): Promise<void> {
  const session = new Session(command);
  const key = await session.key();
  const plan: Planned[] = [];
  for (const [i, line] of (await inputText(path)).split("\n").entries())
    if (line.trim() !== "") plan.push(await resolved(session, messageIn(line, i + 1)));
  if (plan.length === 0) throw new UsageFault("the plan has no messages: write one JSON object per line; see docs/cli.md");
  requireUsableNames(plan);
  let refused = 0;
  const print = (answer: PlanAnswer): void => {
    show(session, answer);
    if (answer.error !== undefined) refused++;
  };
  if (dryRun) for (const answer of await checkMany(session.board, key, plan)) print(answer);
  else for await (const answer of postMany(session.board, key, plan, session.mining)) print(answer);
  if (!dryRun && refused < plan.length) await commitWithFirstUse(session, key);
  if (refused > 0) throw new Error(`${refused} of ${plan.length} messages were refused.`);
}

function requireUsableNames(plan: readonly Planned[]): void {
  try {
    requireNames(plan);
  } catch (error) {
    throw new UsageFault((error as Error).message, { cause: error });
  }
}

function messageIn(line: string, number: number): Written {
  const value = jsonIn(line);
  if (WRITTEN.safeParse(value).success) return value as Written;
  throw new UsageFault(
    `line ${number} of the plan is not a message, such as {"kind":"subtask","title":"...","name":"b","refs":[{"rel":"subtask_of","id":"@a"}]}; see docs/cli.md`,
  );
}

/** Looks up prefixes of ids and aliases, as everywhere on the command line; names of the plan stay unchanged. */
async function resolved(session: Session, { attachments = [], ...message }: Written): Promise<Planned> {
  const { refs, to } = message;
  const stored = attachments.filter((one): one is Attachment => !hasText(one));
  return {
    ...message,
    ...(refs && {
      refs: await Promise.all(refs.map(async ({ rel, id }) => ({ rel, id: id.startsWith("@") ? id : await session.idOf(id) }))),
    }),
    ...(to !== undefined && !AGENT_ID.test(to) && { to: (await getAlias(session.board, to)).agent }),
    ...(stored.length > 0 && { attachments: stored }),
    files: attachments.filter(hasText),
  };
}

/** Posted messages go to standard output, refused ones to standard error; with --json all go to standard output, one object per line. */
function show({ json }: Session, { place, message, posted, error }: PlanAnswer): void {
  const what = message.name === undefined ? oneLine(message.title ?? message.kind, 80) : `@${oneLine(message.name, 80)}`;
  if (json) {
    const name = message.name === undefined ? {} : { name: message.name };
    const { code, message: words, hint = "", docs = "", details = {} } = error ?? {};
    const answer = posted ?? { status: error?.status, error: { code, message: words, hint, docs, details } };
    process.stdout.write(`${jsonText({ line: place + 1, ...name, ...answer })}\n`);
  } else if (error !== undefined) process.stderr.write(`${place + 1} ${what}: ${failureText(error, false)}\n`);
  else process.stdout.write(`${posted?.result} ${posted?.id}  ${what}\n`);
}
