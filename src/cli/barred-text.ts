// Strangers' text at a terminal: every line of it stands after a bar, which no line of the board begins with.
import { visible } from "../core/view/fence.ts";
import { oneLine } from "./table.ts";

export const afterBar = (texts: readonly string[]): string[] =>
  texts.flatMap((text) => visible(text).split("\n")).map((line) => `| ${line}`);

/** Words such as tags on one line, after the name of the field; nothing if there are none. */
export const labels = (name: string, words: readonly string[] = []): string[] =>
  words.length === 0 ? [] : [`${name} ${words.map((word) => oneLine(word, 60)).join(", ")}`];
