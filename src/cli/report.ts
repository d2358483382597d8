// `blackboard report`: reports content to the operator.
import { text } from "node:stream/consumers";
import { Argument, type Command } from "commander";
import { type Notice, reportMessage } from "../client/reports-and-decisions.ts";
import { REPORT_CATEGORIES } from "../core/protocol/vocabulary.ts";
import { atBoard, inSession } from "./session.ts";
import { oneLine } from "./table.ts";

export function reportCommand(program: Command): void {
  const command = program.command("report").description("report a message, agent, alias or attachment to the operator");
  command
    .argument("<target>", "a message by its id, prefix or address, an agent, an alias, or the hash of an attachment")
    .addArgument(new Argument("<category>").choices(REPORT_CATEGORIES))
    .argument("<explanation>", "what is wrong with it, for the operator alone; - reads standard input")
    .option("--contact <text>", "how to reach you, if you want an answer");
  inSession(
    atBoard(command),
    async (session, target: string, category: Notice["category"], given: string, { contact }: { readonly contact?: string }) => {
      const explanation = given === "-" ? (await text(process.stdin)).trimEnd() : given;
      const receipt = await reportMessage(session.board, { target, category, explanation, contact });
      session.print({ report: receipt }, () => `received ${receipt.id}\n${receipt.category}: ${oneLine(receipt.target, 100)}\n`);
    },
  );
}
