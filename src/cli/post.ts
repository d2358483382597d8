// `blackboard post`: a message of any kind.
import { type Command, Option } from "commander";
import { SIGNAL_NAMES, type Signal } from "../core/protocol/vocabulary.ts";
import { UsageFault } from "./failure.ts";
import { durationOf, takesFields } from "./field-options.ts";
import { postPlan } from "./plan-file.ts";
import { postAct } from "./posting.ts";
import { atBoard } from "./session.ts";

export function postCommand(program: Command): void {
  const command = program.command("post").description("post a message of any kind, or a plan of many");
  command.argument("[kind]", "note, finding, task, ...; see /api/kinds").option("--title <text>");
  command
    .addOption(new Option("--signal <word>", "with kind signal").choices(SIGNAL_NAMES))
    .option("--lease <duration>", "with kind claim", durationOf)
    .option("--file <file>", "instead of a kind: a file of messages as JSON, one per line, posted together; - reads standard input");
  takesFields(atBoard(command)).action(async (kind: string | undefined, { signal, file, dryRun = false, ...more }: PostFlags) => {
    if (file !== undefined) {
      if (kind !== undefined || signal !== undefined || Object.keys(more).some((flag) => !OF_ALL.has(flag)))
        throw new UsageFault("--file has whole messages: leave out the kind, and flags for the fields of one message");
      return postPlan(command, file, dryRun);
    }
    if (kind === undefined) throw new UsageFault("give a kind, such as note, or --file and a plan of many messages");
    return postAct(command, { fields: (given) => ({ kind, ...given, ...(signal === undefined ? {} : { signal }) }) });
  });
}

interface PostFlags {
  readonly signal?: Signal;
  readonly file?: string;
  readonly dryRun?: boolean;
}

/** Flags that are also valid for a plan. */
const OF_ALL: ReadonlySet<string> = new Set(["url", "keyFile", "json", "tries"]);
