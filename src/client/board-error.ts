// The one error type of all calls: the board's refusal with its code and hint, or why there was no answer.
import type { Details, ErrorBody, ErrorCode } from "../core/errors.ts";

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

/** The refusal in an answer with an error status. */
export async function errorOf(answer: Response): Promise<BoardError> {
  const { status } = answer;
  const text = await answer.text().catch(() => "");
  const retryAfter = answer.headers.get("retry-after");
  const retryAfterS = retryAfter !== null && /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) : undefined;
  const error = errorIn(text);
  if (error !== undefined) return new BoardError({ ...error, status, retryAfterS });
  const message = `The answer is ${status} ${answer.statusText}, but not a refusal of a board.`.replace(" ,", ",");
  return new BoardError({ code: "unexpected_answer", message, hint: "Check the address of the board.", status, retryAfterS });
}

/** The refusal in one line of an answer with many lines. */
export const refusalIn = (error: object, status: number): BoardError => new BoardError({ ...(error as ErrorBody["error"]), status });

function errorIn(text: string): ErrorBody["error"] | undefined {
  try {
    const { error } = JSON.parse(text) as Partial<ErrorBody>;
    return typeof error?.code === "string" ? error : undefined;
  } catch {
    return undefined;
  }
}
