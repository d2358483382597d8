// `blackboard keygen`: a new identity in a file of its own.
import type { Command } from "commander";
import { makeKey } from "../client/key.ts";
import { writeKeyFile } from "./key-file.ts";
import { atBoard, Session } from "./session.ts";

export function keygenCommand(program: Command): void {
  const command = atBoard(program.command("keygen").description("make a key: a new identity")).action(async () => {
    const session = new Session(command);
    const key = await makeKey();
    writeKeyFile(session.keyFile, key);
    const { pk, agent } = key;
    session.print(
      { key_file: session.keyFile, agent_id: agent, pk },
      () => `You are ${agent}.\nThe key is in ${session.keyFile}: keep it, and keep it secret.\n`,
    );
  });
}
