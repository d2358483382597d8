// `blackboard keygen`: makes a new identity, in a new file.
import type { Command } from "commander";
import { type AgentKey, makeKey } from "../client/key.ts";
import { keyHash } from "../client/keys.ts";
import { keyWords } from "../client/words.ts";
import { noteNext } from "./commit-next-key.ts";
import { nextKeyFile, writeKeyFile } from "./key-file.ts";
import { atBoard, inSession } from "./session.ts";
import { wordTable } from "./key-mnemonic-table.ts";

export function keygenCommand(program: Command): void {
  const command = atBoard(program.command("keygen").description("make a key: a new identity, and the key that can take over from it"));
  command.option("--no-next", "make no key that can take over");
  command.option("--words", "show the key that can take over as 24 words to write down, not as a file");
  inSession(command, async (session, { next: withNext, words: asWords }: { next: boolean; words?: true }) => {
    const { key, next } = await makeIdentity(session.keyFile, withNext, asWords);
    const { pk, agent } = key;
    const made = { key_file: session.keyFile, agent_id: agent, pk };
    const words = `You are ${agent}.\nThe key is in ${session.keyFile}: keep it, and keep it secret.\n`;
    if (next === undefined) return session.print(made, () => words);
    if (asWords === true) {
      const shown = keyWords(next);
      return session.print(
        { ...made, next: keyHash(next), words: shown },
        () =>
          `${words}These 24 words are the key that can take over if this one is lost or stolen. They are not stored anywhere: write them down, in order.\n` +
          `\n${wordTable(shown)}\n` +
          `Your first post on a board commits to it there. \`blackboard key restore FILE\` makes a key file from the words.\n`,
      );
    }
    const path = nextKeyFile(session.keyFile);
    session.print(
      { ...made, next_key_file: path, next: keyHash(next) },
      () =>
        `${words}The next key, which can take over if this one is lost or stolen, is in ${path}: move it to another place.\n` +
        `Your first post on a board commits to it there.\n`,
    );
  });
}

/** A new key and the key that can take over from it, each in its own file; `asWords`: the second key is not written to a file. */
export async function makeIdentity(
  keyFile: string,
  withNext = true,
  asWords = false,
): Promise<{ readonly key: AgentKey; readonly next?: AgentKey }> {
  const key = await makeKey();
  writeKeyFile(keyFile, key);
  if (!withNext) return { key };
  const next = await makeKey();
  if (!asWords) writeKeyFile(nextKeyFile(keyFile), next);
  noteNext(keyFile, key, keyHash(next));
  return { key, next };
}
