// `blackboard supersede`: posts a new version of your own message.
import type { Command } from "commander";
import { supersede } from "../client/message-builders.ts";
import { getMessage } from "../client/read.ts";
import { takesFields } from "./field-options.ts";
import { postAct } from "./posting.ts";
import { atBoard } from "./session.ts";

export function supersedeCommand(program: Command): void {
  const command = program
    .command("supersede")
    .description("post a new version of your own message; fields that you do not give stay unchanged");
  command.argument("<id>", "the message, by its id or a prefix").argument("[body]", "the new text; - reads standard input");
  takesFields(atBoard(command.option("--title <text>"))).action((id: string, body: string | undefined, { attach }: { attach?: string[] }) =>
    postAct(command, {
      on: id,
      body,
      ownOnly: { verb: "supersede" },
      fields: async (given, on, { board }) => {
        const fields = supersede(await getMessage(board, on, { include: ["body", "data"] }), given);
        // New files replace the old ones.
        const { attachments: _, ...rest } = fields;
        return attach === undefined ? fields : rest;
      },
    }),
  );
}
