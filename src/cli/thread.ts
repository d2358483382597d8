// `blackboard thread`: the whole conversation around a message.
import type { Command } from "commander";
import { getThread } from "../client/read.ts";
import { atBoard, Session } from "./session.ts";
import { threadText } from "./shown.ts";

export function threadCommand(program: Command): void {
  const command = program.command("thread").description("show the thread of a message").argument("<id>", "its id or a prefix");
  atBoard(command).action(async (id: string) => {
    const session = new Session(command);
    const thread = await getThread(session.board, id, { include: ["body"] });
    session.print(thread, () => threadText(thread));
  });
}
