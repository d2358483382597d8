// The access log: one line for each request, written when its answer was sent or its connection ended.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";

export interface Access {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly status: number;
  readonly ms: number;
  readonly caller: string;
}

/** Method and path of bytes that could not be read as a request. */
const UNREAD = "-";
/** The caller hung up before it was answered. The status is used in the log only, as other servers do. */
const HUNG_UP = 499;

/** A request that is not answered yet. */
interface Followed {
  readonly request: IncomingMessage;
  finish(status?: number): void;
}

export class AccessLog {
  readonly #write: (access: Access) => void;
  /** The callers of requests that came through a proxy, as the proxy reports them. */
  readonly #callers = new WeakMap<IncomingMessage, string>();
  /** One connection may have many requests at once. */
  readonly #underWay = new WeakMap<Duplex, Set<Followed>>();

  constructor(write: (access: Access) => void) {
    this.#write = write;
  }

  callerOf(request: IncomingMessage, address: string): void {
    this.#callers.set(request, address);
  }

  follow(request: IncomingMessage, response: ServerResponse): void {
    const began = performance.now();
    const { socket, method = "", url = "" } = request;
    const peer = socket.remoteAddress ?? "";
    const [path = "", query = ""] = url.split(/\?(.*)/s, 2);
    const underWay = this.#underWayOn(socket);
    // If other requests of the connection are before it, a response gets the socket later.
    let hadSocket = response.socket !== null;
    if (!hadSocket) response.once("socket", () => (hadSocket = true));
    const statusOf = (): number => {
      // A stream takes the socket from the response and writes the head of its answer itself.
      const taken = hadSocket && response.socket === null;
      return response.headersSent || taken ? response.statusCode : HUNG_UP;
    };
    const followed: Followed = {
      request,
      finish: (status = statusOf()) => {
        if (!underWay.delete(followed)) return;
        const caller = this.#callers.get(request) ?? peer;
        this.#write({ method, path, query, status, ms: Math.round(performance.now() - began), caller });
      },
    };
    underWay.add(followed);
    response.once("close", () => followed.finish());
  }

  /** Bytes of a connection were answered with this status before they were a whole request. */
  refused(socket: Duplex, status: number): void {
    const begun = [...(this.#underWay.get(socket) ?? [])].find(({ request }) => !request.complete);
    if (begun !== undefined) return begun.finish(status);
    this.#write({ method: UNREAD, path: UNREAD, query: "", status, ms: 0, caller: (socket as Partial<Socket>).remoteAddress ?? "" });
  }

  #underWayOn(socket: Socket): Set<Followed> {
    const known = this.#underWay.get(socket);
    if (known !== undefined) return known;
    const underWay = new Set<Followed>();
    this.#underWay.set(socket, underWay);
    socket.once("close", () => {
      for (const followed of underWay) followed.finish();
    });
    return underWay;
  }
}
