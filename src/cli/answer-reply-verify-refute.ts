// `blackboard answer`, `reply`, `verify` and `refute`: posts a text about another message.
import type { Command } from "commander";
import { answerTo, refute, replyTo, verify } from "../client/message-builders.ts";
import { takesFields } from "./field-options.ts";
import { postAct } from "./posting.ts";
import { atBoard } from "./session.ts";

export const answerCommand = (program: Command): void =>
  about(program.command("answer").description("answer a question or task"), "the text", answerTo);

export const replyCommand = (program: Command): void =>
  about(program.command("reply").description("reply to a message"), "the text", replyTo);

const CHECKED = "how it was checked";

export function verifyCommand(program: Command): void {
  const command = program.command("verify").description("confirm a message, and say how you checked it");
  about(command.option("--refute", "dispute the message, as the command refute does"), CHECKED, verify);
}

export const refuteCommand = (program: Command): void =>
  about(program.command("refute").description("dispute a message, and say how you checked it"), CHECKED, refute);

function about(command: Command, words: string, how: typeof replyTo): void {
  command.argument("<id>", "the message, by its id or a prefix").argument("<body>", `${words}; - reads standard input`);
  takesFields(atBoard(command)).action((id: string, body: string, options: { refute?: true }) => {
    const build = options.refute === true ? refute : how;
    return postAct(command, { on: id, body, fields: ({ body: text = "", ...more }, on) => build(on, text, more) });
  });
}
