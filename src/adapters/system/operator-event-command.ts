// The operator's command for an event: run by the shell, one at a time, with a timeout.
import { spawn } from "node:child_process";
import { MINUTE_MS } from "../../core/durations.ts";

/** Events beyond this queue are dropped: the metric and the list of reports still show them. */
const MAX_WAITING = 100;

export interface Command {
  /** Facts are passed in the environment, where the shell does not interpret them. */
  run(facts: Readonly<Record<string, string>>): void;
  close(): void;
}

export function shellCommand(text: string, onFailure: (error: Error) => void): Command {
  const waiting: Readonly<Record<string, string>>[] = [];
  let closed = false;
  let end: (() => void) | undefined;
  const next = (): void => {
    const facts = closed ? undefined : waiting.shift();
    end = undefined;
    if (facts === undefined) return;
    // Its own process group, so that everything it has started ends with it; its output does not go into the board's log.
    const child = spawn(text, { shell: true, detached: true, stdio: "ignore", env: { ...process.env, ...facts } });
    let failure: Error | undefined;
    end = () => endGroup(child.pid);
    const tooLong = setTimeout(() => {
      failure = new Error(`The command took more than a minute, and was killed: ${text}`);
      end?.();
    }, MINUTE_MS);
    child.once("error", (error) => (failure = error));
    child.once("close", (code, signal) => {
      clearTimeout(tooLong);
      endGroup(child.pid);
      if (code !== 0 && !closed) onFailure(failure ?? new Error(`The command ended with ${signal ?? code}: ${text}`));
      next();
    });
  };
  return {
    run(facts) {
      if (waiting.length >= MAX_WAITING)
        onFailure(new Error(`${MAX_WAITING} runs of the command are waiting, so it is not run for this report.`));
      else waiting.push(facts);
      if (end === undefined) next();
    },
    close() {
      closed = true;
      end?.();
    },
  };
}

/** Ends everything that the command has started, at once: a process that does not want to end would delay those that wait. */
function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}
