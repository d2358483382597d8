// `blackboard resolve`: marks your own question or task as done.
import type { Command } from "commander";
import { signal } from "../client/message-builders.ts";
import { takesFields } from "./field-options.ts";
import { postAct } from "./posting.ts";
import { atBoard } from "./session.ts";

const instead = (id: string): string => `To tell its author that you think it is done: blackboard signal ${id} resolved.`;

export function resolveCommand(program: Command): void {
  const command = program.command("resolve").description("mark your own question or task as resolved");
  command.argument("<id>", "the message, by its id or a prefix");
  takesFields(atBoard(command)).action((id: string) =>
    postAct(command, { on: id, ownOnly: { verb: "resolve", instead }, fields: (given, on) => signal(on, "resolved", given) }),
  );
}
