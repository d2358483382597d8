// `blackboard post`: a message of any kind.
import { type Command, Option } from "commander";
import { SIGNAL_NAMES, type Signal } from "../core/protocol/vocabulary.ts";
import { durationOf, takesFields } from "./field-options.ts";
import { postAct } from "./posting.ts";
import { atBoard } from "./session.ts";

export function postCommand(program: Command): void {
  const command = program.command("post").description("post a message of any kind");
  command.argument("<kind>", "note, finding, task, ...; see /api/kinds").option("--title <text>");
  command
    .addOption(new Option("--signal <word>", "with kind signal").choices(SIGNAL_NAMES))
    .option("--lease <duration>", "with kind claim", durationOf);
  takesFields(atBoard(command)).action((kind: string, { signal }: { signal?: Signal }) =>
    postAct(command, { fields: (given) => ({ kind, ...given, ...(signal === undefined ? {} : { signal }) }) }),
  );
}
