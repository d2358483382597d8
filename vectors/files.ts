// Every file of protocol vectors, by name, made from the code of the board.
import { chainFile } from "./make-chain.ts";
import { keysFile } from "./make-keys.ts";
import { messagesFile } from "./make-messages.ts";
import { refusalsFile } from "./make-refusals.ts";
import { signaturesFile, workFile } from "./make-signatures.ts";
import { spellingsFile } from "./make-spellings.ts";
import { wordsFile } from "./make-words.ts";

const MAKERS = {
  "messages.json": messagesFile,
  "signatures.json": signaturesFile,
  "work.json": workFile,
  "spellings.json": spellingsFile,
  "chain.json": chainFile,
  "keys.json": keysFile,
  "refusals.json": refusalsFile,
  "words.json": wordsFile,
};

export const vectorTexts = (): readonly (readonly [name: string, text: string])[] =>
  Object.entries(MAKERS).map(([name, make]) => [name, `${JSON.stringify(make(), null, 2)}\n`]);
