// Runs a command for which no file may grow beyond some kilobytes, as on a disk that is nearly full: the system takes the first part of what
// is longer, and says so.
import { execFile } from "node:child_process";

export interface EndedCommand {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export function onNearlyFullDisk(kilobytes: number | "unlimited", command: readonly string[]): Promise<EndedCommand> {
  const limited = `trap "" XFSZ; ulimit -f ${kilobytes}; exec "$0" "$@"`;
  // What Node compiles would be stored in files too.
  const env = { ...process.env, NODE_DISABLE_COMPILE_CACHE: "1", PYTHONDONTWRITEBYTECODE: "1" };
  return new Promise((resolve) => {
    const child = execFile("bash", ["-c", limited, ...command], { encoding: "utf8", env }, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    );
    child.stdin?.end();
  });
}

/** Runs code that may use `file`, what a module exports; returns what it prints, "done", or the code of its failure. */
export async function codeOnNearlyFullDisk(module: string, code: string): Promise<string> {
  const source = `import * as file from ${JSON.stringify(module)};
    try { ${code}; console.log("done"); } catch (error) { console.log(error.code); }`;
  const { stdout, stderr } = await onNearlyFullDisk(1, [process.execPath, "--input-type=module-typescript", "-e", source]);
  return `${stdout}${stderr}`.trim();
}
