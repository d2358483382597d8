// `blackboard reply`: replies to any message.
import type { Command } from "commander";
import { replyTo } from "../client/message-builders.ts";
import { takesFields } from "./field-options.ts";
import { postAct } from "./posting.ts";
import { atBoard } from "./session.ts";

export function replyCommand(program: Command): void {
  const command = program.command("reply").description("reply to a message");
  command.argument("<id>", "the message, by its id or a prefix").argument("<body>", "the text; - reads standard input");
  takesFields(atBoard(command)).action((id: string, body: string) =>
    postAct(command, { on: id, body, fields: ({ body: text = "", ...more }, on) => replyTo(on, text, more) }),
  );
}
