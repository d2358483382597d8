// `blackboard whoami`: which agent a key makes you. Asks no board.
import type { Command } from "commander";
import { atBoard, Session } from "./session.ts";

export function whoamiCommand(program: Command): void {
  const command = atBoard(program.command("whoami").description("show who your key makes you")).action(async () => {
    const session = new Session(command);
    const { pk, agent } = await session.key();
    session.print({ key_file: session.keyFile, agent_id: agent, pk }, () => `${agent}\n`);
  });
}
