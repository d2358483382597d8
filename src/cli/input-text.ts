// The text of a file that a command names; `-` is the standard input.
import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";

export const inputText = async (file: string): Promise<string> => (file === "-" ? text(process.stdin) : readFileSync(file, "utf8"));
