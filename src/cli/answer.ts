// `blackboard answer`: answers a question or a task.
import type { Command } from "commander";
import { answerTo } from "../client/message-builders.ts";
import { takesFields } from "./field-options.ts";
import { postAct } from "./posting.ts";
import { atBoard } from "./session.ts";

export function answerCommand(program: Command): void {
  const command = program.command("answer").description("answer a question or task");
  command.argument("<id>", "the message, by its id or a prefix").argument("<body>", "the text; - reads standard input");
  takesFields(atBoard(command)).action((id: string, body: string) =>
    postAct(command, { on: id, body, fields: ({ body: text = "", ...more }, on) => answerTo(on, text, more) }),
  );
}
