// Answers to bytes that are not HTTP. There is no request object, so the answer is written to the socket.
import { maxHeaderSize, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { errorBody, Refusal } from "../../core/errors.ts";
import type { Overheld } from "../../board/limits/held-per-caller.ts";
import { TOO_MANY_CONNECTIONS } from "./connections.ts";
import { HTTPS_ONLY } from "./cors-and-local-access.ts";
import { refusalHeaders, type RefusalParts } from "./refusals.ts";

/** How long a socket may go on sending after its answer. If it were closed at once, a reset would destroy the answer. */
const LINGER_MS = 1000;

/** The error of a TLS handshake if the client speaks plain HTTP. */
const PLAIN_HTTP = "ERR_SSL_HTTP_REQUEST";
/** The field in which a TLS socket keeps the plain socket below it. Node does not document it; if it is missing, the connection is closed without an answer. */
interface Wrapped extends Duplex {
  readonly _parent?: Duplex;
}

interface BrokenRequest {
  readonly code?: string;
  /** With `TOO_MANY_CONNECTIONS`: whose limit was reached. */
  readonly over?: Overheld;
}

/** `refused` is called with the connection and the status of its answer. */
export function clientErrorHandler(
  { baseUrl, door }: RefusalParts,
  refused: (socket: Duplex, status: number) => void,
): (error: BrokenRequest, socket: Duplex) => void {
  return (error, given) => {
    // A client that speaks plain HTTP to a TLS port understands only a plain answer, so it is written to the socket below TLS.
    const plain = error.code === PLAIN_HTTP;
    const socket = (plain ? (given as Wrapped)._parent : undefined) ?? given;
    if (error.code === "ECONNRESET" || !socket.writable) {
      socket.destroy();
      return;
    }
    const refusal = refusalOf(error, baseUrl);
    refused(given, refusal.status);
    const body = JSON.stringify(errorBody(refusal, baseUrl));
    const { [HTTPS_ONLY]: httpsOnly, ...common } = door.headers;
    const headers = {
      ...common,
      ...refusalHeaders(refusal, baseUrl),
      ...(plain || httpsOnly === undefined ? {} : { [HTTPS_ONLY]: httpsOnly }),
      "cache-control": "no-store",
      "content-type": "application/json; charset=utf-8",
      "content-length": Buffer.byteLength(body),
      connection: "close",
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status] ?? ""}\r\n${lines.join("")}\r\n${body}`);
    socket.resume();
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  };
}

function refusalOf({ code, over }: BrokenRequest, baseUrl: string): Refusal {
  if (code === TOO_MANY_CONNECTIONS)
    return new Refusal(
      "overloaded",
      over === undefined ? undefined : `This ${over.who} has ${over.held} connections open; ${over.most} are allowed.`,
      {
        status: 429,
        ...(over && { details: { at_once: over.most } }),
        hint: "Reuse open connections (keep-alive), and close those that you do not need.",
      },
    );
  if (code === PLAIN_HTTP)
    return new Refusal("invalid_parameter", "This port speaks HTTPS, and the request is plain HTTP.", {
      hint: `Use ${baseUrl.startsWith("https:") ? baseUrl : "https://..."} instead of http://...`,
    });
  if (code === "HPE_HEADER_OVERFLOW")
    return new Refusal("too_large", `The address and headers are larger than ${maxHeaderSize} bytes.`, {
      status: 431,
      hint: "Send a shorter address and fewer headers.",
    });
  if (code === "ERR_HTTP_REQUEST_TIMEOUT")
    return new Refusal("invalid_parameter", "The request did not arrive in time.", {
      status: 408,
      hint: "Send the request without pauses.",
    });
  return new Refusal("invalid_parameter", "The request is not valid HTTP/1.1.", {
    hint: "Check the request line, the headers and the length.",
  });
}
