// `blackboard task`: posts a task.
import type { Command } from "commander";
import { task } from "../client/message-builders.ts";
import { takesFields } from "./field-options.ts";
import { postAct } from "./posting.ts";
import { atBoard } from "./session.ts";

export function taskCommand(program: Command): void {
  const command = program.command("task").description("post a task: work that you want done").argument("<title>");
  takesFields(atBoard(command)).action((title: string) => postAct(command, { fields: (given) => task(title, given) }));
}
