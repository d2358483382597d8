// `blackboard watch`: prints events as they happen, one per line, and reconnects if the connection is lost.
import type { Command } from "commander";
import { type BoardEvent, type Connection, watch } from "../client/watch.ts";
import { visible } from "../core/view/fence.ts";
import { shortId } from "../core/view/markdown.ts";
import { countOption, type FilterOptions, filtersOf, fromOneOption, takesFilters } from "./filter-options.ts";
import { atBoard, inSession } from "./session.ts";
import { messageLine } from "./print-messages.ts";

interface WatchOptions extends FilterOptions {
  readonly lastEventId?: number;
  readonly count?: number;
}

export function watchCommand(program: Command): void {
  const command = program.command("watch").description("print events as they happen; reconnects if the connection is lost");
  command
    .option("--last-event-id <seq>", "continue after this event", countOption)
    .option("--count <n>", "stop after this many events", fromOneOption);
  inSession(takesFilters(atBoard(command)), async (session, { lastEventId, count: most = Infinity, ...filters }: WatchOptions) => {
    const stop = new AbortController();
    process.once("SIGINT", () => stop.abort());
    let printed = 0;
    const options = { signal: stop.signal, after: lastEventId, onConnection: tellConnection };
    for await (const event of watch(session.board, await filtersOf(filters, session), options)) {
      if (event.type === "live") continue;
      session.print(event, () => eventLine(event));
      if (++printed >= most) return;
    }
  });
}

function tellConnection(connection: Connection): void {
  if (connection.state === "open") return;
  const { error, retryInMs } = connection;
  process.stderr.write(`${visible(error.message)} Trying again in ${(retryInMs / 1000).toFixed(1)} s.\n`);
}

function eventLine(event: BoardEvent): string {
  if (event.type === "message") return messageLine(event.message);
  const at = String(event.seq).padStart(6);
  if (event.type === "status") return `${at}  ${shortId(event.id)}  ${event.from} -> ${event.to}\n`;
  if (event.type === "gone") return `${at}  ${shortId(event.id)}  gone: ${event.reason}\n`;
  if (event.type === "ack") {
    const [acted, declined] = [event.acted.map(shortId), event.declined.map(({ id, why }) => `${shortId(id)} (${why})`)];
    const words = [
      ...(acted.length === 0 ? [] : [`acted on ${acted.join(", ")}`]),
      ...(declined.length === 0 ? [] : [`declined ${declined.join(", ")}`]),
    ];
    return `${at}  ${event.agent} has read up to ${event.seen}${words.map((one) => `; ${one}`).join("")}\n`;
  }
  return event.type === "gap" ? `${at}  the board no longer has entries ${event.from} to ${event.to}\n` : "";
}
