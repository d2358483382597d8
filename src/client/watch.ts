// The live stream: iterates over events across lost connections and restarts of the board, with nothing lost or repeated.
import type { ErrorBody } from "../core/errors.ts";
import type { Status } from "../core/protocol/vocabulary.ts";
import type { Message } from "./response-types.ts";
import { BoardError, mayPass } from "./board-error.ts";
import { once } from "./call.ts";
import type { Board } from "./board-handle.ts";
import { backoffMs, pause } from "./pause.ts";
import type { Filters } from "./read.ts";
import { EventParser, type ServerSentEvent } from "./server-sent-events.ts";

export type BoardEvent =
  /** A new message that matches the filters, with body and data. */
  | { readonly type: "message"; readonly seq: number; readonly message: Message }
  | { readonly type: "status"; readonly seq: number; readonly id: string; readonly from: Status; readonly to: Status }
  | { readonly type: "gone"; readonly seq: number; readonly id: string; readonly reason: string }
  /** An agent acknowledges its inbox up to `seen`, and messages that match the filters as acted on or declined. */
  | {
      readonly type: "ack";
      readonly seq: number;
      readonly agent: string;
      readonly seen: number;
      readonly acted: readonly string[];
      readonly declined: readonly { readonly id: string; readonly why: string }[];
    }
  /** Entries that the board no longer has; the stream continues after them. */
  | { readonly type: "gap"; readonly seq: number; readonly from: number; readonly to: number }
  /** The replay of missed events is done; events are live from here on. Sent again after each reconnection. */
  | { readonly type: "live"; readonly seq: number };

export type Connection = { readonly state: "open" } | { readonly state: "lost"; readonly error: BoardError; readonly retryInMs: number };

export interface WatchOptions {
  /** Ends the iteration without an error. */
  readonly signal?: AbortSignal | undefined;
  /** Start with everything after this seq; with new events only unless given. */
  readonly after?: number | undefined;
  readonly onConnection?: ((connection: Connection) => void) | undefined;
  /** The first wait after a lost connection; what the board asks for unless given. */
  readonly retryMs?: number | undefined;
}

const RETRY_MS = 3000;
/** The time of three keep-alives: a connection that is silent for this long is lost. */
const SILENT_MS = 45_000;

/** Events until the caller stops; throws only if trying again cannot help. */
export async function* watch(board: Board, filters: Filters = {}, options: WatchOptions = {}): AsyncGenerator<BoardEvent, void> {
  const position = { after: options.after, retryMs: options.retryMs ?? RETRY_MS };
  const stopped = (): boolean => options.signal?.aborted ?? false;
  for (let failures = 0; !stopped();) {
    let error: BoardError;
    try {
      for await (const event of connection(board, filters, position, options)) {
        failures = 0;
        yield event;
      }
      error = lost("The board closed the stream.");
    } catch (caught) {
      if (stopped()) return;
      error = caught instanceof BoardError ? caught : lost("The connection broke.", caught);
      if (!mayPass(error)) throw error;
    }
    const waitMs = backoffMs(++failures, options.retryMs ?? position.retryMs);
    const retryInMs = Math.max(waitMs, (error.retryAfterS ?? 0) * 1000);
    options.onConnection?.({ state: "lost", error, retryInMs });
    await pause(retryInMs, options.signal).catch(() => {});
  }
}

interface Position {
  after: number | undefined;
  retryMs: number;
}

/** One connection, which continues where the last one ended. */
async function* connection(board: Board, filters: Filters, position: Position, options: WatchOptions): AsyncGenerator<BoardEvent, void> {
  const end = new AbortController();
  const signal = options.signal === undefined ? end.signal : AbortSignal.any([end.signal, options.signal]);
  let alive = setTimeout(() => {}, 0);
  const stillAlive = (): void => {
    clearTimeout(alive);
    alive = setTimeout(() => end.abort(lost("Nothing arrived for too long.")), SILENT_MS);
  };
  try {
    stillAlive();
    const headers = position.after === undefined ? {} : { "last-event-id": String(position.after) };
    const answer = await once(board, "/api/stream", { query: { ...filters }, headers, signal });
    options.onConnection?.({ state: "open" });
    for await (const frame of frames(answer, position, stillAlive)) {
      const event = eventOf(frame);
      // The position of an event is stored before the event is reported, so that no event is reported twice.
      if (frame.id !== undefined) position.after = Number(frame.id);
      if (event !== undefined) yield event;
    }
  } finally {
    clearTimeout(alive);
    end.abort();
  }
}

async function* frames({ body }: Response, position: Position, onFrame: () => void): AsyncGenerator<ServerSentEvent, void> {
  if (body === null) return;
  const parser = new EventParser();
  const decoder = new TextDecoder();
  const reader = body.getReader();
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    onFrame();
    yield* parser.push(decoder.decode(piece.value, { stream: true }));
    position.retryMs = parser.retryMs ?? position.retryMs;
  }
}

function eventOf({ event, data }: ServerSentEvent): BoardEvent | undefined {
  const value = JSON.parse(data) as { readonly seq: number };
  switch (event) {
    case "message":
      return { type: "message", seq: value.seq, message: value as unknown as Message };
    case "status":
    case "gone":
    case "ack":
    case "live":
      return { type: event, ...value } as unknown as BoardEvent;
    case "gap": {
      const { from, to } = value as unknown as { readonly from: number; readonly to: number };
      return { type: "gap", seq: to, from, to };
    }
    case "error":
      throw new BoardError({ ...(value as unknown as ErrorBody).error });
    default:
      return undefined;
  }
}

const lost = (message: string, cause?: unknown): BoardError => new BoardError({ code: "unreachable", message, cause });
