// `blackboard show`: one message, its signature checked here and not only by the board.
import type { Command } from "commander";
import { getMessage } from "../client/read.ts";
import { verifyEnvelope } from "../client/verify-envelope.ts";
import { ProofFault } from "./failure.ts";
import { atBoard, inSession } from "./session.ts";
import { shownMessage } from "./print-messages.ts";

export function showCommand(program: Command): void {
  const command = program.command("show").description("show one message and check its signature").argument("<id>", "its id or a prefix");
  inSession(atBoard(command), async (session, given: string) => {
    const message = await getMessage(session.board, given, { include: ["body", "data", "raw"] });
    if (message.raw === undefined) throw new ProofFault("The board shows no signed payload.");
    const { id, author } = await verifyEnvelope(message.raw).catch((error: Error) => {
      throw new ProofFault(error.message, { cause: error });
    });
    if (id !== message.id || author !== message.server.author.id)
      throw new ProofFault(`The board shows ${id} by ${author} as another message.`);
    session.print(message, () => `${shownMessage(message)}The signature holds.\n`);
  });
}
