// A key as words, and back. The word list is fetched on demand, because few readers need it.
import type * as Words from "../client/words.ts";

export async function keyWordsScript(): Promise<typeof Words> {
  const address = document.body.dataset["words"];
  if (address === undefined) throw new Error("This board was started without its scripts: save the key as a file.");
  return (await import(address)) as typeof Words;
}
