// The common end of every command that posts: checks or posts the fields, and prints the result.
import { existsSync, writeFileSync } from "node:fs";
import type { Command } from "commander";
import type { DryRun, Message, Posted } from "../client/response-types.ts";
import type { Board } from "../client/board-handle.ts";
import type { Fields } from "../client/sign-message.ts";
import { getKeys } from "../client/keys.ts";
import { check, post } from "../client/post.ts";
import { getMessage } from "../client/read.ts";
import { ACTING_RELS } from "../core/protocol/vocabulary.ts";
import { plural } from "../core/text/plural.ts";
import { shortId } from "../core/view/markdown.ts";
import { worthTelling } from "../core/view/kinds-without-text.ts";
import { type FieldOptions, fieldsByOptions, filesOf } from "./field-options.ts";
import { UsageFault } from "./failure.ts";
import { commitWithFirstUse } from "./commit-next-key.ts";
import { Session } from "./session.ts";
import { oneLine } from "./table.ts";

interface Act {
  /** The fields of the message, from the flags and the whole id of the message it acts on. */
  readonly fields: (given: Partial<Fields>, id: string, session: Session) => Fields | Promise<Fields>;
  /** The message that is acted on, by its id or a prefix. */
  readonly on?: string;
  /** The text, if it is an argument. */
  readonly body?: string | undefined;
  /** An act that only the author of the message can do, as a verb, and what others can do instead. */
  readonly ownOnly?: { readonly verb: string; readonly instead?: (id: string) => string };
  /** The message whose new state is printed, if it is not one that the new message refers to. */
  readonly moves?: () => string;
}

type OwnOnly = NonNullable<Act["ownOnly"]>;

export async function postAct(command: Command, { fields, on, body, ownOnly, moves }: Act): Promise<void> {
  const session = new Session(command);
  const options = command.opts<FieldOptions>();
  requireReceiptFile(options);
  const key = await session.key();
  const given = await fieldsByOptions(session, options, body);
  if (ownOnly !== undefined && on !== undefined) await requireOwn(session, on, key.agent, ownOnly);
  const message = await fields(given, on === undefined ? "" : await session.idOf(on), session);
  const files = filesOf(options);
  if (options.dryRun === true) {
    const dry = await check(session.board, key, message, { files });
    session.print(dry, () => dryText(dry));
    return warn(session, message.kind, dry);
  }
  const wanted = { judgedFirst: true, receipt: options.receipt !== undefined };
  const posted = await post(session.board, key, message, { files, ...session.mining, ...wanted });
  const moved = session.json ? undefined : await movedBy(session, moves?.() ?? movedIn(posted));
  session.print(posted, () => postedText(posted, moved === undefined ? ownLine(posted) : movedLine(posted, moved)));
  if (options.receipt !== undefined) keepReceipt(session, options.receipt, posted);
  warn(session, message.kind, posted);
  await commitWithFirstUse(session, key);
}

/** Checked before anything is posted. A receipt is for keeping, so an older one is not overwritten. */
function requireReceiptFile({ receipt, dryRun }: FieldOptions): void {
  if (receipt === undefined) return;
  if (dryRun === true) throw new UsageFault("a dry run posts nothing, so there is no receipt: leave out --dry-run or --receipt");
  if (existsSync(receipt))
    throw new UsageFault(`there is already a file at ${receipt}, and no receipt is overwritten: give --receipt another`);
}

/** The receipt, and the message that it is about: both are needed to check it offline. */
function keepReceipt({ json }: Session, file: string, { id, seq, receipt, raw, proof_url: later }: Posted): void {
  if (receipt == null) {
    process.stderr.write(`warning: the board could not sign a receipt at the moment. Get it later: ${later}\n`);
    return;
  }
  try {
    writeFileSync(file, `${JSON.stringify({ id, seq, receipt, raw })}\n`, { flag: "wx" });
  } catch (error) {
    throw new Error(
      `The message is posted, but its receipt cannot be kept: ${(error as Error).message}. /api/messages/${id}/proof has it too.`,
      { cause: error },
    );
  }
  if (!json) process.stdout.write(`receipt ${file}\n`);
}

/** Printed for people on standard error; programs find them in the JSON. */
function warn({ json }: Session, kind: string, { warnings }: Pick<Posted, "warnings">): void {
  if (json) return;
  for (const { message } of worthTelling(kind, warnings)) process.stderr.write(`warning: ${oneLine(message, 200)}\n`);
}

const postedText = ({ result, id, seq, url }: Posted, line: string): string => `${result} ${id}\nseq ${seq}\n${line}\n${url}\n`;

const ownLine = ({ meta, derived }: Posted): string =>
  `${oneLine(meta.kind, 50)}, ${derived.status}: ${oneLine(derived.display_title ?? "", 100)}`;

const movedIn = ({ meta }: Posted): string | undefined => meta.refs?.find(({ rel }) => ACTING_RELS.has(rel))?.id;

/** The new state of the message that was acted on, if it is still live. */
async function movedBy({ board }: Session, id: string | undefined): Promise<Message | undefined> {
  return id === undefined ? undefined : getMessage(board, id, { include: [] }).catch(() => undefined);
}

function movedLine({ meta, server }: Posted, { id, meta: target, derived }: Message): string {
  const act = meta.signal === undefined ? oneLine(meta.kind, 50) : `${meta.kind} ${meta.signal}`;
  const holder = derived.claimed_by === server.author.id ? "you" : derived.claimed_by;
  const lease = derived.status === "claimed" ? ` by ${holder} until ${derived.lease_until}` : "";
  const title = oneLine(derived.display_title ?? "", 100);
  // A retraction that reaches this line has released a lease.
  return `${meta.kind === "retraction" ? "release of" : `${act} on`} ${oneLine(target.kind, 50)} ${shortId(id)}, which is now ${derived.status}${lease}: ${title}`;
}

/** Whether both keys are of one agent: one took over from the other, or was delegated by it. */
async function isOfLine(board: Board, agent: string, author: string): Promise<boolean> {
  const line = await getKeys(board, agent, { limit: 1 }).catch(() => undefined);
  return line?.keys.some(({ id, role }) => id === author && role !== "signer") === true;
}

async function requireOwn({ board }: Session, given: string, agent: string, { verb, instead }: OwnOnly): Promise<void> {
  const { id, server } = await getMessage(board, given, { include: [] });
  if (server.author.id === agent || (await isOfLine(board, agent, server.author.id))) return;
  const more = instead === undefined ? "" : ` ${instead(shortId(id))}`;
  throw new Error(
    `${shortId(id)} is by ${server.author.id}, and only its author can ${verb} it; you are ${agent}.${more} See docs/cli.md.`,
  );
}

function dryText({ required_bits: bits, similar }: DryRun): string {
  const like = similar.map(({ id, score, title }) => `similar: ${shortId(id)}  ${score.toFixed(2)}  ${oneLine(title, 80)}\n`);
  return `valid, needs ${plural(bits, "bit")} of work; nothing was posted\n${like.join("")}`;
}
