// `blackboard retract`: withdraws one of your messages, or all.
import type { Command } from "commander";
import { retract, retractEverything } from "../client/message-builders.ts";
import { getCheckpoint } from "../client/read.ts";
import { takesFields } from "./field-options.ts";
import { postAct } from "./posting.ts";
import { atBoard } from "./session.ts";

export function retractCommand(program: Command): void {
  const command = program
    .command("retract")
    .description("take back your own message, or an e-mail to you")
    .argument("[id]", "the message, by its id or a prefix")
    .option("--all", "everything that your key has posted on this board, instead of one message");
  takesFields(atBoard(command)).action((id: string | undefined, { all }: { all?: true }) => {
    if ((id === undefined) === (all === undefined)) command.error("error: give the id of a message, or --all without one");
    if (id !== undefined) return postAct(command, { on: id, fields: (given, on) => retract(on, given) });
    return postAct(command, { fields: async (given, _on, { board }) => retractEverything((await getCheckpoint(board)).board, given) });
  });
}
