// Runs the command line in this process: the same arguments, output and exit code as the executable, without the time of a start.
import { Readable } from "node:stream";
import { vi } from "vitest";
import { runProgram } from "../../src/program.ts";
import { databaseUrlOf } from "./postgres/database.ts";

export interface Said {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Signals that a board listens for from its start. */
const SIGNALS = ["SIGHUP", "SIGINT", "SIGTERM"] as const;

interface Around {
  /** Variables in addition to those of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Its standard input. */
  readonly input?: string;
}

/** There is only one standard output, so commands run one after the other. */
let turn: Promise<unknown> = Promise.resolve();

/** For commands that end by themselves, such as a board that does not start. */
export function runHere(args: readonly string[], around: Around = {}): Promise<Said> {
  const said = turn.then(() => runNow(args, around));
  turn = said.catch(() => {});
  return said;
}

async function runNow(args: readonly string[], { env = {}, input }: Around): Promise<Said> {
  const listening = SIGNALS.map((signal) => [signal, process.listeners(signal)] as const);
  const said = { stdout: "", stderr: "" };
  const heard = (["stdout", "stderr"] as const).map((name) =>
    vi.spyOn(process[name], "write").mockImplementation((text) => {
      said[name] += String(text);
      return true;
    }),
  );
  const read =
    input === undefined ? [] : [vi.spyOn(process, "stdin", "get").mockReturnValue(Readable.from([input]) as typeof process.stdin)];
  const before = { ...process.env };
  Object.assign(process.env, env);
  try {
    return { code: await runProgram(args), ...said };
  } finally {
    for (const one of [...heard, ...read]) one.mockRestore();
    for (const name of Object.keys(env)) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
    for (const [signal, others] of listening)
      for (const one of process.listeners(signal)) if (!others.includes(one)) process.off(signal, one);
  }
}

/** The flags with which an operator's command finds the board of a data directory. */
export function placeOf(data: string): readonly string[] {
  const url = databaseUrlOf(data);
  return ["--data", data, ...(url === undefined ? [] : ["--database-url", url])];
}
