// The board's log on standard error: JSON lines for programs, readable lines for people at a terminal.
import { type DestinationStream, type Logger, pino } from "pino";
import { visible } from "../../core/view/fence.ts";

/** Receives the lines, each with its end. */
export type LogLines = DestinationStream;

export interface LogSettings {
  readonly logLevel: string;
  readonly logFormat: "json" | "text" | undefined;
}

/** Written synchronously, so that the last words of a dying process are there. */
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

/** `2026-01-31 09:00:00 INFO  listening  address=http://127.0.0.1:8787`; a stack follows on its own lines. */
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

/** No control sequences for a terminal, and no ambiguous values. */
function shown(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return /^[!-~]+$/.test(text) ? text : visible(JSON.stringify(text));
}
