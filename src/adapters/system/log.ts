// The board's log on standard error: JSON lines for programs, one readable line each for people at a terminal.
import { type DestinationStream, type Logger, pino } from "pino";
import { visible } from "../../core/view/markdown.ts";

/** Where lines go, each with its end. */
export type LogLines = DestinationStream;

export interface LogSettings {
  readonly logLevel: string;
  readonly logFormat: "json" | "text" | undefined;
}

/** Written before the next line of the program runs: what a process said before it died is there. */
const standardError = (): LogLines => pino.destination({ dest: 2, sync: true });

export function boardLog({ logLevel, logFormat }: LogSettings, lines: LogLines = standardError()): Logger {
  const options = {
    level: logLevel,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (level: string) => ({ level }) },
  };
  const format = logFormat ?? (process.stderr.isTTY ? "text" : "json");
  return pino(options, format === "json" ? lines : readable(lines));
}

function readable(lines: LogLines): LogLines {
  return { write: (line) => lines.write(`${readableLine(line)}\n`) };
}

/** `2026-01-31 09:00:00 INFO  listening  address=http://127.0.0.1:8787`; a stack follows on lines of its own. */
export function readableLine(line: string): string {
  const { time, level, msg, err, ...fields } = JSON.parse(line) as Readonly<Record<string, unknown>>;
  const { stack, message } = (err ?? {}) as { stack?: string; message?: string };
  const words = [
    `${String(time).slice(0, 19).replace("T", " ")} ${String(level).toUpperCase().padEnd(5)} ${String(msg)}`,
    ...Object.entries({ ...fields, ...(message === undefined ? {} : { error: message }) }).map(
      ([name, value]) => `${name}=${shown(value)}`,
    ),
  ];
  return [words.join("  "), ...(stack === undefined ? [] : stack.split("\n").slice(1))].join("\n");
}

/** Nothing that a terminal would obey, and nothing that could be taken for two values. */
function shown(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return /^[!-~]+$/.test(text) ? text : visible(JSON.stringify(text));
}
