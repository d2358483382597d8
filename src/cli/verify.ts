// `blackboard verify`: an independent check of somebody's message, and how it was done.
import type { Command } from "commander";
import { refute, verify } from "../client/acts.ts";
import { takesFields } from "./field-options.ts";
import { postAct } from "./posting.ts";
import { atBoard } from "./session.ts";

export function verifyCommand(program: Command): void {
  const command = program.command("verify").description("say that a message holds, and how you checked it");
  command.argument("<id>", "the message, by its id or a prefix").argument("<body>", "how it was checked; - reads standard input");
  command.option("--refute", "say that it does not hold");
  takesFields(atBoard(command)).action((id: string, body: string, options: { refute?: true }) => {
    const vote = options.refute === true ? refute : verify;
    return postAct(command, { on: id, body, fields: ({ body: text = "", ...more }, on) => vote(on, text, more) });
  });
}
