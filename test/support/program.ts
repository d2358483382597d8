// The command line in this process: the same arguments, words and exit code as of the executable, without the time that one takes to start.
import { vi } from "vitest";
import { runProgram } from "../../src/program.ts";
import { databaseUrlOf } from "./postgres/database.ts";

export interface Said {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A board listens for these from its start on. */
const SIGNALS = ["SIGHUP", "SIGINT", "SIGTERM"] as const;

/** For whatever ends by itself, such as a board that does not start. */
export async function runHere(args: readonly string[]): Promise<Said> {
  const listening = SIGNALS.map((signal) => [signal, process.listeners(signal)] as const);
  const said = { stdout: "", stderr: "" };
  const heard = (["stdout", "stderr"] as const).map((name) =>
    vi.spyOn(process[name], "write").mockImplementation((text) => {
      said[name] += String(text);
      return true;
    }),
  );
  try {
    return { code: await runProgram(args), ...said };
  } finally {
    for (const one of heard) one.mockRestore();
    for (const [signal, before] of listening)
      for (const one of process.listeners(signal)) if (!before.includes(one)) process.off(signal, one);
  }
}

/** The flags by which an operator's command finds the board of a data directory. */
export function placeOf(data: string): readonly string[] {
  const url = databaseUrlOf(data);
  return ["--data", data, ...(url === undefined ? [] : ["--database-url", url])];
}
