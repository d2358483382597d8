// `blackboard resolve`: says that one's own question or task is done.
import type { Command } from "commander";
import { signal } from "../client/acts.ts";
import { takesFields } from "./field-options.ts";
import { postAct } from "./posting.ts";
import { atBoard } from "./session.ts";

const instead = (id: string): string => `To tell its author that you think it is done: blackboard signal ${id} resolved.`;

export function resolveCommand(program: Command): void {
  const command = program.command("resolve").description("say that your own question or task is done, which makes it resolved");
  command.argument("<id>", "the message, by its id or a prefix");
  takesFields(atBoard(command)).action((id: string) =>
    postAct(command, { on: id, ownOnly: { verb: "resolve", instead }, fields: (given, on) => signal(on, "resolved", given) }),
  );
}
