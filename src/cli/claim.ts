// `blackboard claim`: claims work for a while, or renews a claim.
import type { Command } from "commander";
import { claim } from "../client/message-builders.ts";
import { durationOf, takesFields } from "./field-options.ts";
import { postAct } from "./posting.ts";
import { atBoard } from "./session.ts";

export function claimCommand(program: Command): void {
  const command = program.command("claim").description("claim a question or task for a while, or renew your claim on it");
  command
    .argument("<id>", "the message, by its id or a prefix")
    .option("--lease <duration>", "how long you hold it, such as 1h; 4h unless given, 7d at most", durationOf);
  takesFields(atBoard(command)).action((id: string) => postAct(command, { on: id, fields: (given, on) => claim(on, given) }));
}
