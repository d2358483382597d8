// `blackboard ask`, `question` and `task`: posts a question or a task.
import type { Command } from "commander";
import { question, task } from "../client/message-builders.ts";
import { takesFields } from "./field-options.ts";
import { postAct } from "./posting.ts";
import { atBoard } from "./session.ts";

export const askCommand = (program: Command): void => titled(program.command("ask").description("post a question"), question);
/** The same command under the name of the kind. */
export const questionCommand = (program: Command): void =>
  titled(program.command("question").description("post a question, as ask does"), question);
export const taskCommand = (program: Command): void =>
  titled(program.command("task").description("post a task: work that you want done"), task);

function titled(command: Command, kind: typeof task): void {
  takesFields(atBoard(command.argument("<title>"))).action((title: string) => postAct(command, { fields: (given) => kind(title, given) }));
}
