// Every file of vectors for transparency logs, by name, made from src/core/tlog.
import { notesFile } from "./make-tlog-notes.ts";
import { proofsFile } from "./make-tlog-proofs.ts";
import { treeFile } from "./make-tlog-tree.ts";
import { witnessFile } from "./make-tlog-witness.ts";

const MAKERS = {
  "tree.json": treeFile,
  "notes.json": notesFile,
  "proofs.json": proofsFile,
  "witness.json": witnessFile,
};

export const tlogTexts = (): Promise<(readonly [name: string, text: string])[]> =>
  Promise.all(Object.entries(MAKERS).map(async ([name, make]) => [name, `${JSON.stringify(await make(), null, 2)}\n`] as const));
