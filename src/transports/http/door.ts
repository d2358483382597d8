// Who may come in at all: on a local board only this machine's own programs, and pages of other sites only where the board is open to them.
import type { IncomingHttpHeaders } from "node:http";
import { Refusal } from "../../core/errors.ts";
import { isLoopbackName } from "../../core/loopback.ts";
import { accessTo } from "./mcp-access.ts";
import { isForwarded, isLoopbackAddress, isLoopbackHost } from "./secure.ts";

export interface DoorParts {
  readonly baseUrl: string;
  /** `local`: whatever did not come from this machine is turned away. */
  readonly profile: "local" | "public";
  /** Whether browsers may use the board from any site, or from its own pages only. */
  readonly cors: "any" | "own";
}

interface Caller {
  readonly headers: IncomingHttpHeaders;
  readonly httpVersion: string;
  readonly url?: string | undefined;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/** There pages of this machine may call, whatever their port. */
const HAS_OWN_RULE = /^\/mcp\/?(\?|$)/;

const CORS_HEADERS = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "allow, blackboard-seq, etag, link, location, ratelimit, ratelimit-policy, retry-after",
} as const;
/** By which browsers come over HTTPS from now on, whatever a link says. */
export const HTTPS_ONLY = "strict-transport-security";
const YEAR_S = 31_536_000;
/** What lets a page of another site read an answer. */
export const CORS_HEADER_NAMES = Object.keys(CORS_HEADERS);

export interface Door {
  /** On every answer that holds no secret: who may read it, that nobody must guess what it is, and that nobody shows it again unasked. */
  readonly headers: Readonly<Record<string, string>>;
  /** What a browser is told that asks whether a page of another site may call. */
  readonly preflight: Readonly<Record<string, string>>;
  admits(caller: Caller): boolean;
  /** Refuses whom it does not admit, with words. */
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
  /** Protects against DNS rebinding: a foreign name that resolves to this machine is not one of its own. */
  const isOwnName = ({ headers }: Caller): boolean => headers.host === undefined || access.host(headers.host);
  const local = profile === "public" ? () => true : isLocal;
  const page = cors === "any" ? () => true : (caller: Caller) => isOwnName(caller) && isOwnPage(caller);
  return {
    headers: {
      "x-content-type-options": "nosniff",
      // Whoever keeps it asks, by its validator, before each use: what is gone from the board is gone from every cache between.
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
          hint: "Call the board from a program, which sends no Origin header, by the name in its base address. Whoever runs it can start it with `--cors any`.",
        });
    },
  };
}

/** What `OPTIONS *` asks about. */
export const WHOLE_BOARD = "*";

const whyNotOwn = (isOwnName: boolean): string =>
  isOwnName ? "The request comes from a page of another site" : "The Host header names another machine";

function whyNotLocal({ headers, httpVersion, socket }: Caller): string {
  if (!isLoopbackAddress(socket.remoteAddress)) return "The request comes from another machine";
  if (httpVersion !== "1.1") return `The request is HTTP/${httpVersion}, as proxies send it`;
  return isLoopbackHost(headers.host) ? "The request was passed on by a proxy" : "The Host header names another machine";
}
