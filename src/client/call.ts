// One request and its answer: repeated if that is safe and useful; throws a BoardError if it fails.
import { BoardError, errorOf } from "./board-error.ts";
import type { Board } from "./board-handle.ts";
import { backoffMs, pause } from "./pause.ts";
import { type QueryValue, queryString } from "./query.ts";

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface Request extends CallOptions {
  readonly query?: Readonly<Record<string, QueryValue>>;
  /** Sent with POST, as JSON unless it is a string; without a body the request is a GET. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the request is idempotent, so that it may be sent again if no answer came. True unless given. */
  readonly idempotent?: boolean;
  /** Called with every answer. */
  readonly onResponse?: (answer: Response) => void;
  /** Called instead of a long wait before the request is sent again. */
  readonly wait?: (ms: number, error: BoardError) => Promise<void>;
}

/** Refusals after which the same request may succeed a moment later. */
export const PASSING: ReadonlySet<string> = new Set(["rate_limited", "overloaded", "storage_unavailable", "shutting_down", "assist_busy"]);
const PROXY_TROUBLE: ReadonlySet<number> = new Set([502, 503, 504]);

/** The answer of the board as JSON. */
export function call<Answer>(board: Board, path: string, request: Request = {}): Promise<Answer> {
  return patiently(board, request, async () => {
    const answer = await once(board, path, request);
    return JSON.parse(await readAll(board, request, answer.text())) as Answer;
  });
}

/** The answers of the board to many bodies, one per line. */
export async function callLines<Answer>(
  board: Board,
  path: string,
  lines: readonly object[],
  request: Request,
): Promise<readonly Answer[]> {
  const body = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  const text = await callText(board, path, { ...request, body, headers: { "content-type": "application/x-ndjson" } });
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Answer);
}

/** The exact text of the answer: `text()` would drop a byte order mark, which changes the hash. */
export async function callText(board: Board, path: string, request: Request = {}): Promise<string> {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(await callBytes(board, path, request));
}

export function callBytes(board: Board, path: string, request: Request = {}): Promise<Uint8Array<ArrayBuffer>> {
  return patiently(board, request, async () => {
    const answer = await once(board, path, request);
    return new Uint8Array(await readAll(board, request, answer.arrayBuffer()));
  });
}

/** The answer of the board: parsed if it is JSON, otherwise as text. */
export function callEither(board: Board, path: string, request: Request = {}): Promise<unknown> {
  return patiently(board, request, async () => {
    const answer = await once(board, path, request);
    const text = await readAll(board, request, answer.text());
    return answer.headers.get("content-type")?.startsWith("application/json") === true ? (JSON.parse(text) as unknown) : text;
  });
}

function readAll<Body>(board: Board, request: Request, body: Promise<Body>): Promise<Body> {
  return body.catch((cause: unknown) => {
    request.signal?.throwIfAborted();
    throw new BoardError({ code: "unreachable", message: `The answer of ${board.url} broke off: ${reasonOf(cause)}.`, cause });
  });
}

/** Repeats the request if that is safe and useful: a number of times if no answer comes, for a limited time if the board is busy. */
async function patiently<Answer>(board: Board, request: Request, attempt: () => Promise<Answer>): Promise<Answer> {
  const until = performance.now() + board.longestWaitS * 1000;
  for (let failures = 0, waits = 0; ;) {
    try {
      return await attempt();
    } catch (error) {
      if (error instanceof SyntaxError) throw noBoard(error);
      if (!(error instanceof BoardError) || !worthRepeating(error, request)) throw error;
      if (error.code !== "rate_limited" && ++failures >= board.attempts) throw error;
      // Spread, so that many callers with the same `Retry-After` do not come back at once.
      const { retryAfterS } = error;
      const waitMs = retryAfterS === undefined ? backoffMs(++waits) : retryAfterS * 1000 + backoffMs(++waits, 100, 2000);
      if (performance.now() + waitMs > until) throw error;
      await (request.wait?.(waitMs, error) ?? pause(waitMs, request.signal));
    }
  }
}

const noBoard = (cause: unknown): BoardError =>
  new BoardError({
    code: "unexpected_answer",
    message: "The answer is not JSON.",
    hint: "Check the address of the board.",
    status: 200,
    cause,
  });

/** One attempt: returns a successful answer, or throws a BoardError. */
export async function once(board: Board, path: string, { query = {}, body, headers = {}, signal, onResponse }: Request): Promise<Response> {
  let answer: Response;
  try {
    answer = await board.fetch(board.url + path + queryString(query), {
      ...(body === undefined ? {} : { method: "POST", body: typeof body === "string" ? body : JSON.stringify(body) }),
      headers: body === undefined ? headers : { "content-type": "application/json", ...headers },
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (cause) {
    signal?.throwIfAborted();
    throw new BoardError({
      code: "unreachable",
      message: `No answer from ${board.url}: ${reasonOf(cause)}.`,
      hint: "Check the address and the network.",
      cause,
    });
  }
  onResponse?.(answer);
  if (answer.ok) return answer;
  throw await errorOf(answer);
}

function worthRepeating({ code, status }: BoardError, { idempotent = true }: Request): boolean {
  if (PASSING.has(code)) return true;
  return idempotent && (code === "unreachable" || (code === "unexpected_answer" && PROXY_TROUBLE.has(status)));
}

/** The cause of "fetch failed", if the platform provides it. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error && cause.message !== "" ? cause.message : message;
}
