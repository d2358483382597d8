// The one error type of all calls: the board's refusal with its code and hint, or why there was no answer.
import type { Details, ErrorBody, ErrorCode } from "../core/errors.ts";
import { jsonIn } from "../core/text/json-in.ts";

/** `unreachable`: no answer came. `unexpected_answer`: the answer is not from a board. */
export type BoardErrorCode = ErrorCode | "unreachable" | "unexpected_answer";

export interface BoardErrorFacts {
  readonly code: BoardErrorCode;
  readonly message: string;
  readonly hint?: string;
  readonly docs?: string;
  readonly details?: Details;
  /** The HTTP status; 0 if there was no answer. */
  readonly status?: number;
  /** How long the board asks to wait. */
  readonly retryAfterS?: number | undefined;
  readonly cause?: unknown;
}

export class BoardError extends Error {
  override readonly name = "BoardError";
  readonly code: BoardErrorCode;
  readonly hint: string;
  readonly docs: string;
  readonly details: Details;
  readonly status: number;
  readonly retryAfterS: number | undefined;

  constructor({ code, message, hint = "", docs = "", details = {}, status = 0, retryAfterS, cause }: BoardErrorFacts) {
    super(message, cause === undefined ? {} : { cause });
    this.code = code;
    this.hint = hint;
    this.docs = docs;
    this.details = details;
    this.status = status;
    this.retryAfterS = retryAfterS;
  }
}

export const isRefusal = (error: unknown, code: BoardErrorCode): error is BoardError => error instanceof BoardError && error.code === code;

/** A lost connection, a busy or restarting board, a slow reader: everything except a wrong request. */
export const mayPass = ({ status, code }: BoardError): boolean =>
  status === 0 || status === 429 || status >= 500 || code === "unexpected_answer";

/** The answer; undefined if the board refuses with this code. */
export const unlessRefused = <Answer>(answer: Promise<Answer>, code: BoardErrorCode): Promise<Answer | undefined> =>
  answer.catch((error: unknown) => {
    if (!isRefusal(error, code)) throw error;
    return undefined;
  });

/** The refusal in an answer with an error status. */
export async function errorOf(answer: Response): Promise<BoardError> {
  const { status } = answer;
  const text = await answer.text().catch(() => "");
  const retryAfter = answer.headers.get("retry-after");
  const retryAfterS = retryAfter !== null && /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) : undefined;
  const error = (jsonIn(text) as Partial<ErrorBody> | null | undefined)?.error;
  if (typeof error?.code === "string") return new BoardError({ ...error, status, retryAfterS });
  const message = `The answer is ${status} ${answer.statusText}, but not a refusal of a board.`.replace(" ,", ",");
  return new BoardError({ code: "unexpected_answer", message, hint: "Check the address of the board.", status, retryAfterS });
}

/** The refusal in one line of an answer with many lines. */
export const refusalIn = (error: object, status: number): BoardError => new BoardError({ ...(error as ErrorBody["error"]), status });
