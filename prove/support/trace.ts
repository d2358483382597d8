// System calls of a board from a trace of strace: in the order of their ends, with their start times.
import { readFileSync } from "node:fs";

export interface Call {
  readonly name: string;
  /** Everything between the parentheses. */
  readonly args: string;
  readonly result: string;
  /** Seconds since 1970. */
  readonly begun: number;
  readonly ended: number;
}

const WHOLE = /^(\d+) +([\d.]+) (\w+)\((.*)\) += (.+?)(?: <([\d.]+)>)?$/s;
const BEGUN = /^(\d+) +([\d.]+) (\w+)\((.*?) *<unfinished \.\.\.>$/s;
const RESUMED = /^(\d+) +([\d.]+) <\.\.\. (\w+) resumed>(.*)\) += (.+?)(?: <[\d.]+>)?$/s;

/** Reads line by line, because a trace with all written bytes may be longer than the longest string. */
function* linesOf(path: string): Generator<string> {
  const bytes = readFileSync(path);
  let start = 0;
  for (let end = bytes.indexOf("\n"); end >= 0; end = bytes.indexOf("\n", start)) {
    yield bytes.toString("latin1", start, end);
    start = end + 1;
  }
}

/** Needs `strace -f -ttt -T`. */
export function readTrace(path: string): Call[] {
  const open = new Map<string, { readonly at: number; readonly args: string }>();
  const calls: Call[] = [];
  for (const line of linesOf(path)) {
    const whole = WHOLE.exec(line);
    if (whole !== null) {
      const [, , at = "", name = "", args = "", result = "", took = "0"] = whole;
      calls.push({ name, args, result, begun: Number(at), ended: Number(at) + Number(took) });
      continue;
    }
    const begun = BEGUN.exec(line);
    if (begun !== null) {
      const [, thread = "", at = "", name = "", args = ""] = begun;
      open.set(`${thread} ${name}`, { at: Number(at), args });
      continue;
    }
    const resumed = RESUMED.exec(line);
    if (resumed === null) continue;
    const [, thread = "", at = "", name = "", rest = "", result = ""] = resumed;
    const first = open.get(`${thread} ${name}`);
    open.delete(`${thread} ${name}`);
    if (first !== undefined) calls.push({ name, args: first.args + rest, result, begun: first.at, ended: Number(at) });
  }
  return calls.sort((a, b) => a.ended - b.ended);
}

const unescaped = (text: string): Buffer =>
  text.startsWith("\\x") ? Buffer.from(text.replaceAll("\\x", ""), "hex") : Buffer.from(text, "latin1");

/** The file or socket that a call is about (`strace -y`). */
export function fileOf({ args }: Call): string {
  return unescaped(/^\d+<([^>]*)>/.exec(args)?.[1] ?? "").toString("utf8");
}

export const isSocket = (call: Call): boolean => /^(?:socket|TCP)/.test(fileOf(call));

/** The bytes between quotes (`strace -xx`). */
export function bytesIn({ args }: Call): readonly Buffer[] {
  return [...args.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map(([, text = ""]) => unescaped(text));
}
