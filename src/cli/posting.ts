// What every command that posts does with the fields it has gathered: check or post them, and say what became of it.
import type { Command } from "commander";
import type { DryRun, Posted } from "../client/answers.ts";
import type { Fields } from "../client/draft.ts";
import { check, post } from "../client/post.ts";
import { shortId } from "../core/view/markdown.ts";
import { type FieldOptions, fieldsOf, filesOf } from "./field-options.ts";
import { Session } from "./session.ts";
import { oneLine } from "./shown.ts";

interface Act {
  /** Fields that the command stands for, from those that the flags give and the whole id of the message it acts on. */
  readonly fields: (given: Partial<Fields>, id: string) => Fields;
  /** The message that is acted on, by its id or a prefix. */
  readonly on?: string;
  /** The text where it is an argument. */
  readonly body?: string | undefined;
}

export async function postAct(command: Command, { fields, on, body }: Act): Promise<void> {
  const session = new Session(command);
  const options = command.opts<FieldOptions>();
  const key = await session.key();
  const given = await fieldsOf(session, options, body);
  const message = fields(given, on === undefined ? "" : await session.idOf(on));
  const files = filesOf(options);
  if (options.dryRun === true) {
    const dry = await check(session.board, key, message, { files });
    return session.print(dry, () => dryText(dry));
  }
  const posted = await post(session.board, key, message, { files, ...session.mining, judgedFirst: true });
  session.print(posted, () => postedText(posted));
}

const postedText = ({ result, id, url, meta, derived }: Posted): string =>
  `${result} ${id}\n${oneLine(meta.kind, 50)}, ${derived.status}: ${oneLine(derived.display_title ?? "", 100)}\n${url}\n`;

function dryText({ required_bits: bits, warnings, similar }: DryRun): string {
  const like = similar.map(({ id, score, title }) => `similar: ${shortId(id)}  ${score.toFixed(2)}  ${oneLine(title, 80)}\n`);
  return `valid, needs ${bits} bits of work; nothing was posted\n${warnings.map((one) => `warning: ${oneLine(one, 200)}\n`).join("")}${like.join("")}`;
}
