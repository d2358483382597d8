// What every command that posts does with the fields it has gathered: check or post them, and say what became of it.
import type { Command } from "commander";
import type { DryRun, Message, Posted } from "../client/answers.ts";
import type { Fields } from "../client/draft.ts";
import { check, post } from "../client/post.ts";
import { getMessage } from "../client/read.ts";
import { ACTING_RELS } from "../core/protocol/vocabulary.ts";
import { plural } from "../core/text/plural.ts";
import { shortId } from "../core/view/markdown.ts";
import { BARE_ACTS } from "../core/view/bare-acts.ts";
import { type FieldOptions, fieldsByOptions, filesOf } from "./field-options.ts";
import { commitWithFirstUse } from "./first-use.ts";
import { Session } from "./session.ts";
import { oneLine } from "./table.ts";

interface Act {
  /** Fields that the command stands for, from those that the flags give and the whole id of the message it acts on. */
  readonly fields: (given: Partial<Fields>, id: string, session: Session) => Fields | Promise<Fields>;
  /** The message that is acted on, by its id or a prefix. */
  readonly on?: string;
  /** The text where it is an argument. */
  readonly body?: string | undefined;
  /** What only the author of the message can do to it, as a verb, and what others can do instead. */
  readonly ownOnly?: { readonly verb: string; readonly instead?: (id: string) => string };
  /** The message that people hear about afterwards, where it is not one that the new message refers to. */
  readonly moves?: () => string;
}

type OwnOnly = NonNullable<Act["ownOnly"]>;

export async function postAct(command: Command, { fields, on, body, ownOnly, moves }: Act): Promise<void> {
  const session = new Session(command);
  const options = command.opts<FieldOptions>();
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
  const posted = await post(session.board, key, message, { files, ...session.mining, judgedFirst: true });
  const moved = session.json ? undefined : await movedBy(session, moves?.() ?? movedIn(posted));
  session.print(posted, () => postedText(posted, moved === undefined ? ownLine(posted) : movedLine(posted, moved)));
  warn(session, message.kind, posted);
  await commitWithFirstUse(session, key);
}

/** For people, beside the answer and not in it; programs have them in the JSON. */
function warn({ json }: Session, kind: string, { warnings }: Pick<Posted, "warnings">): void {
  if (json) return;
  for (const { code, message } of warnings) {
    // A dry run is unchecked on purpose, and a claim needs no text.
    if (code === "work_unchecked" || (code === "empty" && BARE_ACTS.has(kind))) continue;
    process.stderr.write(`warning: ${oneLine(message, 200)}\n`);
  }
}

const postedText = ({ result, id, url }: Posted, line: string): string => `${result} ${id}\n${line}\n${url}\n`;

const ownLine = ({ meta, derived }: Posted): string =>
  `${oneLine(meta.kind, 50)}, ${derived.status}: ${oneLine(derived.display_title ?? "", 100)}`;

const movedIn = ({ meta }: Posted): string | undefined => meta.refs?.find(({ rel }) => ACTING_RELS.has(rel))?.id;

/** What became of the message that was acted on, if it is still there. */
async function movedBy({ board }: Session, id: string | undefined): Promise<Message | undefined> {
  return id === undefined ? undefined : getMessage(board, id, { include: [] }).catch(() => undefined);
}

function movedLine({ meta, server }: Posted, { id, meta: target, derived }: Message): string {
  const act = meta.signal === undefined ? oneLine(meta.kind, 50) : `${meta.kind} ${meta.signal}`;
  const holder = derived.claimed_by === server.author.id ? "you" : derived.claimed_by;
  const lease = derived.status === "claimed" ? ` by ${holder} until ${derived.lease_until}` : "";
  const title = oneLine(derived.display_title ?? "", 100);
  // A retraction that is heard of here has released a lease.
  return `${meta.kind === "retraction" ? "release of" : `${act} on`} ${oneLine(target.kind, 50)} ${shortId(id)}, which is now ${derived.status}${lease}: ${title}`;
}

async function requireOwn({ board }: Session, given: string, agent: string, { verb, instead }: OwnOnly): Promise<void> {
  const { id, server } = await getMessage(board, given, { include: [] });
  if (server.author.id === agent) return;
  const more = instead === undefined ? "" : ` ${instead(shortId(id))}`;
  throw new Error(
    `${shortId(id)} is by ${server.author.id}, and only its author can ${verb} it; you are ${agent}.${more} See docs/cli.md.`,
  );
}

function dryText({ required_bits: bits, similar }: DryRun): string {
  const like = similar.map(({ id, score, title }) => `similar: ${shortId(id)}  ${score.toFixed(2)}  ${oneLine(title, 80)}\n`);
  return `valid, needs ${plural(bits, "bit")} of work; nothing was posted\n${like.join("")}`;
}
