// `blackboard keygen`: a new identity in a file of its own.
import type { Command } from "commander";
import { makeKey } from "../client/key.ts";
import { keyHash } from "../client/keys.ts";
import { nextKeyFile, writeKeyFile } from "./key-file.ts";
import { atBoard, Session } from "./session.ts";

export function keygenCommand(program: Command): void {
  const command = atBoard(program.command("keygen").description("make a key: a new identity, and the key that can take over from it"));
  command.option("--no-next", "make no key that can take over");
  command.action(async ({ next: withNext }: { next: boolean }) => {
    const session = new Session(command);
    const key = await makeKey();
    writeKeyFile(session.keyFile, key);
    const { pk, agent } = key;
    const told = { key_file: session.keyFile, agent_id: agent, pk };
    const words = `You are ${agent}.\nThe key is in ${session.keyFile}: keep it, and keep it secret.\n`;
    if (!withNext) return session.print(told, () => words);
    const [next, path] = [await makeKey(), nextKeyFile(session.keyFile)];
    writeKeyFile(path, next);
    session.print(
      { ...told, next_key_file: path, next: keyHash(next) },
      () =>
        `${words}The key that can take over, where this one is lost or stolen, is in ${path}: keep it elsewhere.\n` +
        `Commit to it within an hour of your first post: blackboard key commit\n`,
    );
  });
}
