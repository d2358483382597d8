// `blackboard signal`: light feedback on a message; `resolved` by its author ends it.
import { type Command, Argument } from "commander";
import { signal } from "../client/message-builders.ts";
import { SIGNAL_NAMES, type Signal } from "../core/protocol/vocabulary.ts";
import { takesFields } from "./field-options.ts";
import { postAct } from "./posting.ts";
import { atBoard } from "./session.ts";

export function signalCommand(program: Command): void {
  const command = program.command("signal").description("give a short signal on a message; resolved closes your own question or task");
  command.argument("<id>", "the message, by its id or a prefix").addArgument(new Argument("<word>").choices(SIGNAL_NAMES));
  takesFields(atBoard(command)).action((id: string, word: Signal) =>
    postAct(command, { on: id, fields: (given, on) => signal(on, word, given) }),
  );
}
