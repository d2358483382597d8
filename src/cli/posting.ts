// What every command that posts does with the fields it has gathered: check or post them, and say what became of it.
import type { Command } from "commander";
import type { DryRun, Message, Posted } from "../client/answers.ts";
import type { Fields } from "../client/draft.ts";
import { check, post } from "../client/post.ts";
import { getMessage } from "../client/read.ts";
import { counted } from "../core/view/counted.ts";
import { shortId } from "../core/view/markdown.ts";
import { type FieldOptions, fieldsOf, filesOf } from "./field-options.ts";
import { Session } from "./session.ts";
import { oneLine } from "./shown.ts";

interface Act {
  /** Fields that the command stands for, from those that the flags give and the whole id of the message it acts on. */
  readonly fields: (given: Partial<Fields>, id: string, session: Session) => Fields | Promise<Fields>;
  /** The message that is acted on, by its id or a prefix. */
  readonly on?: string;
  /** The text where it is an argument. */
  readonly body?: string | undefined;
  /** Only the author of the message can do it: for others the same message would be another act. */
  readonly ownOnly?: true;
}

export async function postAct(command: Command, { fields, on, body, ownOnly }: Act): Promise<void> {
  const session = new Session(command);
  const options = command.opts<FieldOptions>();
  const key = await session.key();
  const given = await fieldsOf(session, options, body);
  const message = await fields(given, on === undefined ? "" : await session.idOf(on), session);
  if (ownOnly === true && on !== undefined) await requireOwn(session, on, key.agent);
  const files = filesOf(options);
  if (options.dryRun === true) {
    const dry = await check(session.board, key, message, { files });
    session.print(dry, () => dryText(dry));
    return warn(session, message.kind, dry);
  }
  const posted = await post(session.board, key, message, { files, ...session.mining, judgedFirst: true });
  const moved = session.json ? undefined : await movedBy(session, posted);
  session.print(posted, () => postedText(posted, moved === undefined ? ownLine(posted) : movedLine(posted, moved)));
  warn(session, message.kind, posted);
}

/** Acts that are all said by being done. */
const BARE: ReadonlySet<string> = new Set(["claim", "signal", "retraction"]);

/** For people, beside the answer and not in it; programs have them in the JSON. */
function warn({ json }: Session, kind: string, { warnings }: Pick<Posted, "warnings">): void {
  if (json) return;
  for (const { code, message } of warnings) {
    // Whoever asks for a dry run, or claims something and says no more, means just that.
    if (code === "work_unchecked" || (code === "empty" && BARE.has(kind))) continue;
    process.stderr.write(`warning: ${oneLine(message, 200)}\n`);
  }
}

const postedText = ({ result, id, url }: Posted, line: string): string => `${result} ${id}\n${line}\n${url}\n`;

const ownLine = ({ meta, derived }: Posted): string =>
  `${oneLine(meta.kind, 50)}, ${derived.status}: ${oneLine(derived.display_title ?? "", 100)}`;

/** Rels by which a message is posted for what it does to another; its own status is of no interest then. */
const MOVES: ReadonlySet<string> = new Set(["claims", "answers", "verifies", "refutes", "on"]);

/** What became of the message that was acted on, if it is still there. */
async function movedBy({ board }: Session, { meta }: Posted): Promise<Message | undefined> {
  const ref = meta.refs?.find(({ rel }) => MOVES.has(rel));
  if (ref === undefined) return undefined;
  return getMessage(board, ref.id, { include: [] }).catch(() => undefined);
}

function movedLine({ meta, server }: Posted, { id, meta: target, derived }: Message): string {
  const act = meta.signal === undefined ? oneLine(meta.kind, 50) : `${meta.kind} ${meta.signal}`;
  const holder = derived.claimed_by === server.author.id ? "you" : derived.claimed_by;
  const lease = derived.status === "claimed" ? ` by ${holder} until ${derived.lease_until}` : "";
  const title = oneLine(derived.display_title ?? "", 100);
  return `${act} on ${oneLine(target.kind, 50)} ${shortId(id)}, which is now ${derived.status}${lease}: ${title}`;
}

async function requireOwn({ board }: Session, given: string, agent: string): Promise<void> {
  const { id, server } = await getMessage(board, given, { include: [] });
  if (server.author.id === agent) return;
  throw new Error(
    `${shortId(id)} is by ${server.author.id}, and only its author can resolve it; you are ${agent}. ` +
      `To tell its author that you think it is done: blackboard signal ${shortId(id)} resolved. See docs/cli.md.`,
  );
}

function dryText({ required_bits: bits, similar }: DryRun): string {
  const like = similar.map(({ id, score, title }) => `similar: ${shortId(id)}  ${score.toFixed(2)}  ${oneLine(title, 80)}\n`);
  return `valid, needs ${counted(bits, "bit")} of work; nothing was posted\n${like.join("")}`;
}
