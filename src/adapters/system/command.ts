// The operator's own command for something that has happened: run by the shell, one at a time, and never for long.
import { spawn } from "node:child_process";
import { MINUTE_MS } from "../../core/spans.ts";

/** What waits beyond this is dropped: the metric and the list of reports still tell of it. */
const MAX_WAITING = 100;

export interface Command {
  /** Facts are in the environment, where no shell takes them for words of its own. */
  run(facts: Readonly<Record<string, string>>): void;
  close(): void;
}

export function shellCommand(text: string, onFailure: (error: Error) => void): Command {
  const waiting: Readonly<Record<string, string>>[] = [];
  const stop = new AbortController();
  let running = false;
  const next = (): void => {
    const facts = stop.signal.aborted ? undefined : waiting.shift();
    running = facts !== undefined;
    if (facts === undefined) return;
    const child = spawn(text, {
      shell: true,
      stdio: ["ignore", "ignore", "inherit"],
      env: { ...process.env, ...facts },
      timeout: MINUTE_MS,
      signal: stop.signal,
    });
    let failure: Error | undefined;
    child.once("error", (error) => (failure = error));
    child.once("close", (code, signal) => {
      if (code !== 0 && !stop.signal.aborted) onFailure(failure ?? new Error(`The command ended with ${signal ?? code}: ${text}`));
      next();
    });
  };
  return {
    run(facts) {
      if (waiting.length < MAX_WAITING) waiting.push(facts);
      if (!running) next();
    },
    close: () => stop.abort(),
  };
}
