// The sender of a request as a caller of the board: its address, its turns, and whether it may send secrets.
import type { FastifyReply, FastifyRequest } from "fastify";
import { callerOf } from "../../board/limits/callers.ts";
import { Refusal } from "../../core/errors.ts";
import type { Guest } from "../../operations/call-steps.ts";
import type { Ending, RequestTurns } from "./request-turns.ts";
import type { ArrivedRequest } from "./secure-request.ts";

export interface GuestParts {
  readonly baseUrl: string;
  /** Whether a request may carry a secret. */
  readonly secure: (request: ArrivedRequest) => boolean;
  /** Where the requests of a caller take turns. */
  readonly turns: RequestTurns | undefined;
}

export const guestOf = (request: FastifyRequest, reply: FastifyReply, { turns, secure, baseUrl }: GuestParts): Guest =>
  guestAt(request.ip, request.raw, reply.raw, turns, () => requireSafe(request, secure, baseUrl));

/** `request` stands for the call where turns are counted; its turn ends with `response`. */
export function guestAt(
  address: string | undefined,
  request: object,
  response: Ending,
  turns: RequestTurns | undefined,
  requireSafe: () => void,
): Guest {
  const caller = callerOf(address);
  return {
    caller,
    requireSafe,
    turn: () => turns?.enter(caller, request, response),
    waits: () => turns?.release(request),
    used: (ms) => turns?.used(caller, ms),
  };
}

/** A secret may only come in the body of an encrypted request. Text in the address is not quoted, because it may be a secret. */
function requireSafe(request: FastifyRequest, secure: GuestParts["secure"], baseUrl: string): void {
  if (!secure(request.raw)) throw new Refusal("https_required");
  requireOwnPage(request, baseUrl, "The request was sent by a page of another site; such pages may not send keys.");
  const [, search] = /\?(.*)$/s.exec(request.url) ?? [];
  if (search !== undefined && !/^receipt=\w{0,5}$/.test(search))
    throw new Refusal("unknown_parameter", "This address takes no parameter except `receipt`.", {
      hint: "Send everything in the body; addresses end up in logs and histories.",
    });
}

/**
 * Pages of other sites must not send forms or use up the limits of the person who reads them. Browsers say which site a request comes from:
 * newer ones in Sec-Fetch-Site, all in Origin, which is `null` if a page hides itself. A program sends neither.
 */
export function requireOwnPage({ headers, host }: FastifyRequest, baseUrl: string, words: string): void {
  const { origin, "sec-fetch-site": from } = headers;
  if (from === "same-origin") return;
  const own = origin === undefined || (URL.canParse(origin) && (origin === new URL(baseUrl).origin || new URL(origin).host === host));
  if (own && (from === undefined || from === "none")) return;
  throw new Refusal("origin_forbidden", words, {
    hint: `Use this board's own pages; a program sends no Origin header. What programs use: ${baseUrl}/llms.txt`,
  });
}
