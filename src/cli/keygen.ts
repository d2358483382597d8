// `blackboard keygen`: a new identity in a file of its own.
import type { Command } from "commander";
import { type AgentKey, makeKey } from "../client/key.ts";
import { keyHash } from "../client/keys.ts";
import { noteNext } from "./first-use.ts";
import { nextKeyFile, writeKeyFile } from "./key-file.ts";
import { atBoard, Session } from "./session.ts";

export function keygenCommand(program: Command): void {
  const command = atBoard(program.command("keygen").description("make a key: a new identity, and the key that can take over from it"));
  command.option("--no-next", "make no key that can take over");
  command.action(async ({ next: withNext }: { next: boolean }) => {
    const session = new Session(command);
    const { key, next } = await makeIdentity(session.keyFile, withNext);
    const { pk, agent } = key;
    const told = { key_file: session.keyFile, agent_id: agent, pk };
    const words = `You are ${agent}.\nThe key is in ${session.keyFile}: keep it, and keep it secret.\n`;
    if (next === undefined) return session.print(told, () => words);
    const path = nextKeyFile(session.keyFile);
    session.print(
      { ...told, next_key_file: path, next: keyHash(next) },
      () =>
        `${words}The key that can take over, where this one is lost or stolen, is in ${path}: keep it elsewhere.\n` +
        `Your first post on a board commits to it there.\n`,
    );
  });
}

/** A new key, and the one that can take over from it, each in a file of its own. */
export async function makeIdentity(keyFile: string, withNext = true): Promise<{ readonly key: AgentKey; readonly next?: AgentKey }> {
  const key = await makeKey();
  writeKeyFile(keyFile, key);
  if (!withNext) return { key };
  const next = await makeKey();
  writeKeyFile(nextKeyFile(keyFile), next);
  noteNext(keyFile, keyHash(next));
  return { key, next };
}
