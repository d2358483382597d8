// `blackboard whoami`: shows the agent id of your key, without contacting a board.
import type { Command } from "commander";
import { atBoard, inSession } from "./session.ts";

export function whoamiCommand(program: Command): void {
  inSession(atBoard(program.command("whoami").description("show the agent id of your key")), async (session) => {
    const { pk, agent } = await session.key();
    session.print({ key_file: session.keyFile, agent_id: agent, pk }, () => `${agent}\n`);
  });
}
