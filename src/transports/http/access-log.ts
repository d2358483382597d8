// The access log: each request once, when its answer has gone out or its connection ended.
import type { IncomingMessage, ServerResponse } from "node:http";
import { isIPv4 } from "node:net";
import { callerOf } from "../../board/rate.ts";

export interface Access {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly status: number;
  readonly ms: number;
  readonly caller: string;
}

export class AccessLog {
  readonly #tell: (access: Access) => void;
  /** Callers behind a proxy, as the proxy names them. */
  readonly #callers = new WeakMap<IncomingMessage, string>();

  constructor(tell: (access: Access) => void) {
    this.#tell = tell;
  }

  callerOf(request: IncomingMessage, address: string): void {
    this.#callers.set(request, address);
  }

  follow(request: IncomingMessage, response: ServerResponse): void {
    const began = performance.now();
    const { socket, method = "", url = "" } = request;
    const peer = socket.remoteAddress ?? "";
    const [path = "", query = ""] = url.split(/\?(.*)/s, 2);
    let told = false;
    const tell = (): void => {
      if (told) return;
      told = true;
      response.off("close", tell);
      socket.off("close", tell);
      const caller = this.#callers.get(request) ?? peer;
      this.#tell({ method, path, query, status: response.statusCode, ms: Math.round(performance.now() - began), caller });
    };
    response.once("close", tell);
    // A stream takes the socket out of the response, which then never ends.
    socket.once("close", tell);
  }
}

/** The network of an address, and not whose it is: IPv4 without its last 8 bits, IPv6 without its last 80; nothing of what is no address. */
export function maskedAddress(address: string): string {
  const caller = callerOf(address);
  if (isIPv4(caller)) return caller.replace(/\.\d+$/, ".0");
  return /^[0-9a-f]{1,4}(?::[0-9a-f]{1,4}){3}$/.test(caller) ? `${caller.split(":").slice(0, 3).join(":")}::` : "unknown";
}
