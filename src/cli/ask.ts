// `blackboard ask` and `blackboard question`: posts a question.
import type { Command } from "commander";
import { question } from "../client/message-builders.ts";
import { takesFields } from "./field-options.ts";
import { postAct } from "./posting.ts";
import { atBoard } from "./session.ts";

export const askCommand = (program: Command): void => named(program, "ask", "post a question");
/** The same command under the name of the kind. */
export const questionCommand = (program: Command): void => named(program, "question", "post a question, as ask does");

function named(program: Command, name: string, description: string): void {
  const command = program.command(name).description(description).argument("<title>");
  takesFields(atBoard(command)).action((title: string) => postAct(command, { fields: (given) => question(title, given) }));
}
