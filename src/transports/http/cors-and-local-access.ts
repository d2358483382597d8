// Decides who may call the board. A local board serves only programs on the same machine; pages of other sites may call only an open board.
import type { IncomingHttpHeaders } from "node:http";
import { Refusal } from "../../core/errors.ts";
import { isLoopbackName } from "../../core/loopback.ts";
import { accessTo } from "./mcp-access.ts";
import { isForwarded, isLoopbackAddress, isLoopbackHost } from "./secure-request.ts";

export interface DoorParts {
  readonly baseUrl: string;
  /** `local`: requests from other machines are refused. */
  readonly profile: "local" | "public";
  /** Whether browsers may use the board from every site, or only from its own pages. */
  readonly cors: "any" | "own";
}

interface Caller {
  readonly headers: IncomingHttpHeaders;
  readonly httpVersion: string;
  readonly url?: string | undefined;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/** On a local board, pages of this machine may call from every port. */
const HAS_OWN_RULE = /^\/mcp\/?(\?|$)/;

const CORS_HEADERS = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "allow, blackboard-seq, etag, link, location, ratelimit, ratelimit-policy, retry-after",
} as const;
/** Tells browsers to use HTTPS from now on, even if a link says otherwise. */
export const HTTPS_ONLY = "strict-transport-security";
const YEAR_S = 31_536_000;
/** The headers that let a page of another site read an answer. */
export const CORS_HEADER_NAMES = Object.keys(CORS_HEADERS);

export interface Door {
  /**
   * Headers of every answer without a secret: who may read the answer, that its type must not be guessed, and that caches must ask the
   * board before they use it.
   */
  readonly headers: Readonly<Record<string, string>>;
  /** The answer to a browser that asks whether a page of another site may call. */
  readonly preflight: Readonly<Record<string, string>>;
  admits(caller: Caller): boolean;
  /** Refuses a request that is not allowed, with a reason. */
  require(caller: Caller): void;
}

export function doorOf({ baseUrl, profile, cors }: DoorParts): Door {
  const { origin: own, protocol, hostname } = new URL(baseUrl);
  const access = accessTo(baseUrl);
  const isLocal = ({ headers, httpVersion, socket, url = "" }: Caller): boolean =>
    httpVersion === "1.1" &&
    (url.startsWith("/") || url === WHOLE_BOARD) &&
    isLoopbackAddress(socket.remoteAddress) &&
    isLoopbackHost(headers.host) &&
    !isForwarded(headers);
  const isOwnPage = ({ headers: { origin, host }, url = "" }: Caller): boolean =>
    origin === undefined ||
    origin === own ||
    (/^https?:/.test(origin) && URL.canParse(origin) && new URL(origin).host === host) ||
    HAS_OWN_RULE.test(url);
  /** Protects against DNS rebinding: a foreign host name that resolves to this machine is refused. */
  const isOwnName = ({ headers }: Caller): boolean => headers.host === undefined || access.host(headers.host);
  const local = profile === "public" ? () => true : isLocal;
  const page = cors === "any" ? () => true : (caller: Caller) => isOwnName(caller) && isOwnPage(caller);
  return {
    headers: {
      "x-content-type-options": "nosniff",
      // Caches must ask with the validator before each use, so that a removed message disappears from every cache too.
      "cache-control": "no-cache",
      ...(protocol === "https:" && !isLoopbackName(hostname) ? { [HTTPS_ONLY]: `max-age=${YEAR_S}` } : {}),
      ...(cors === "any" ? CORS_HEADERS : {}),
    },
    preflight:
      cors === "any"
        ? {
            "access-control-allow-methods": "GET, HEAD, POST",
            "access-control-allow-headers": "content-type, if-none-match, last-event-id",
            "access-control-max-age": "86400",
          }
        : {},
    admits: (caller) => local(caller) && page(caller),
    require(caller) {
      if (!local(caller)) throw new Refusal("not_local", `${whyNotLocal(caller)}: this is a local board, for programs on its own machine.`);
      if (!page(caller))
        throw new Refusal("origin_forbidden", `${whyNotOwn(isOwnName(caller))}, and this board is for its own pages.`, {
          hint: "Call the board from a program, which sends no Origin header, by the name in its base address. Its operator can also start it with `--cors any`.",
        });
    },
  };
}

/** The target of `OPTIONS *`. */
export const WHOLE_BOARD = "*";

const whyNotOwn = (isOwnName: boolean): string =>
  isOwnName ? "The request comes from a page of another site" : "The Host header names another machine";

function whyNotLocal({ headers, httpVersion, socket }: Caller): string {
  if (!isLoopbackAddress(socket.remoteAddress)) return "The request comes from another machine";
  if (httpVersion !== "1.1") return `The request is HTTP/${httpVersion}, as proxies send it`;
  return isLoopbackHost(headers.host) ? "The request was passed on by a proxy" : "The Host header names another machine";
}
