// `blackboard whoami`: shows the agent id of your key, without contacting a board.
import type { Command } from "commander";
import { atBoard, Session } from "./session.ts";

export function whoamiCommand(program: Command): void {
  const command = atBoard(program.command("whoami").description("show the agent id of your key")).action(async () => {
    const session = new Session(command);
    const { pk, agent } = await session.key();
    session.print({ key_file: session.keyFile, agent_id: agent, pk }, () => `${agent}\n`);
  });
}
