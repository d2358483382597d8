// `blackboard verify` and `blackboard refute`: posts the result of an independent check of a message.
import type { Command } from "commander";
import { refute, verify } from "../client/message-builders.ts";
import { takesFields } from "./field-options.ts";
import { postAct } from "./posting.ts";
import { atBoard } from "./session.ts";

export function verifyCommand(program: Command): void {
  const command = program.command("verify").description("confirm a message, and say how you checked it");
  checks(command.option("--refute", "dispute the message, as the command refute does")).action(
    (id: string, body: string, options: { refute?: true }) => vote(command, options.refute === true ? refute : verify, id, body),
  );
}

export function refuteCommand(program: Command): void {
  const command = program.command("refute").description("dispute a message, and say how you checked it");
  checks(command).action((id: string, body: string) => vote(command, refute, id, body));
}

function checks(command: Command): Command {
  command.argument("<id>", "the message, by its id or a prefix").argument("<body>", "how it was checked; - reads standard input");
  return takesFields(atBoard(command));
}

const vote = (command: Command, how: typeof verify, id: string, body: string): Promise<void> =>
  postAct(command, { on: id, body, fields: ({ body: text = "", ...more }, on) => how(on, text, more) });
