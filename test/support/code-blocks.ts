// The code blocks of a Markdown text, and a shell that runs them as a reader would.
import { execFile } from "node:child_process";
import { symlinkSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { emptyDirectory } from "./process.ts";

export interface CodeBlock {
  readonly language: string;
  readonly text: string;
  /** The last line of text before it. */
  readonly lead: string;
  /** The heading above it. */
  readonly heading: string;
  /** True for blocks that a test machine cannot run: ```sh no-run. */
  readonly noRun: boolean;
}

/** Also finds indented blocks inside lists. */
export function codeBlocks(markdown: string): readonly CodeBlock[] {
  const blocks: CodeBlock[] = [];
  let heading = "";
  let end = 0;
  for (const match of markdown.matchAll(/([^\n]*)\n+( *)```(\w*)( no-run)?\n([\s\S]*?)\n\2```/g)) {
    const [all, lead = "", indent = "", language = "", noRun, text = ""] = match;
    // A line inside a block that looks like a heading is a comment.
    const words = markdown.slice(end, match.index + lead.length);
    heading = [...words.matchAll(/^#+ (.+)$/gm)].at(-1)?.[1] ?? heading;
    end = match.index + all.length;
    const lines = text.split("\n").map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line));
    blocks.push({ language, text: lines.join("\n"), lead, heading, noRun: noRun !== undefined });
  }
  return blocks;
}

/** A path with a `curl` that reads a stream as long as it has data, however slow the machine is. */
export function patientPath(): string {
  const directory = emptyDirectory();
  symlinkSync(join(import.meta.dirname, "patient-curl.sh"), join(directory, "curl"));
  return [directory, process.env["PATH"]].join(delimiter);
}

/** Runs commands in one shell that ends at the first failure; returns what they printed. */
export async function bash(commands: string, cwd: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const { stdout } = await promisify(execFile)("bash", ["-euo", "pipefail", "-c", commands], {
    cwd,
    env: { ...process.env, ...env },
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout;
}
