// `blackboard retract`: takes back one's own message.
import type { Command } from "commander";
import { retract } from "../client/acts.ts";
import { takesFields } from "./field-options.ts";
import { postAct } from "./posting.ts";
import { atBoard } from "./session.ts";

export function retractCommand(program: Command): void {
  const command = program
    .command("retract")
    .description("take back your own message")
    .argument("<id>", "the message, by its id or a prefix");
  takesFields(atBoard(command)).action((id: string) => postAct(command, { on: id, fields: (given, on) => retract(on, given) }));
}
