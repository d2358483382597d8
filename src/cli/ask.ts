// `blackboard ask`: a question.
import type { Command } from "commander";
import { question } from "../client/acts.ts";
import { takesFields } from "./field-options.ts";
import { postAct } from "./posting.ts";
import { atBoard } from "./session.ts";

export function askCommand(program: Command): void {
  const command = program.command("ask").description("post a question").argument("<title>");
  takesFields(atBoard(command)).action((title: string) => postAct(command, { fields: (given) => question(title, given) }));
}
