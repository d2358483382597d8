// Subscriptions of the one client of a bridge, in either revision of the protocol. If the board is down, they wait for it.
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  type JSONRPCMessage,
  type MessageExtraInfo,
  type RequestId,
  type Transport,
} from "@modelcontextprotocol/server";
import { backoffMs, pause } from "../../client/pause.ts";
import { protocolError } from "../../transports/mcp/explaining-server.ts";
import type { ToolContextFor, ServerFor } from "../../transports/mcp/server.ts";
import { subscribedIn, type Watch, watchInbox } from "../../transports/mcp/subscriptions.ts";
import { asRefusal } from "./tool-context.ts";

type ProtocolServer = ReturnType<ServerFor>;

export interface SubscriptionParts {
  readonly contextFor: ToolContextFor;
  readonly url: string;
  readonly report: (words: string) => void;
}

export class Subscriptions {
  readonly #parts: SubscriptionParts;
  readonly #watched = new Map<string, AbortController>();
  /** In the newer revision: the subscriptions of each request, until it is cancelled. */
  readonly #listening = new Map<RequestId, readonly string[]>();
  #server: ProtocolServer | undefined;

  constructor(parts: SubscriptionParts) {
    this.#parts = parts;
  }

  /** The server that the client uses from now on. */
  served(server: ProtocolServer): ProtocolServer {
    this.#server = server;
    server.setRequestHandler("resources/subscribe", async ({ params: { uri } }) => {
      await this.#begin(uri).catch((error: unknown) => {
        throw protocolError(asRefusal(error, this.#parts.url));
      });
      return {};
    });
    server.setRequestHandler("resources/unsubscribe", ({ params: { uri } }) => {
      this.#end(uri);
      return {};
    });
    return server;
  }

  /** Stands between the client and the package, which in the newer revision would answer subscriptions itself. */
  between(transport: Transport): void {
    const { onmessage: take, onclose: ended } = transport;
    Object.assign(transport, {
      onmessage: (message: JSONRPCMessage, extra?: MessageExtraInfo) => {
        if (isJSONRPCNotification(message) && message.method === "notifications/cancelled")
          this.#forget(message.params?.["requestId"] as RequestId);
        const uris = subscribedIn(message);
        if (!isJSONRPCRequest(message) || uris.length === 0) {
          take?.(message, extra);
          return;
        }
        // Answered after the subscription is active, so that no change is missed.
        void this.#listen(message.id, uris).then(
          () => take?.(message, extra),
          (error: unknown) => {
            const { code, message: words, data } = protocolError(asRefusal(error, this.#parts.url));
            return transport.send({ jsonrpc: "2.0", id: message.id, error: { code, message: words, data } });
          },
        );
      },
      // Waiting alone must not keep a process alive that has lost its client.
      onclose: () => {
        for (const uri of this.#watched.keys()) this.#end(uri);
        ended?.();
      },
    });
  }

  async #listen(id: RequestId, uris: readonly string[]): Promise<void> {
    this.#listening.set(id, uris);
    try {
      for (const uri of uris) await this.#begin(uri);
    } catch (error) {
      this.#forget(id);
      throw error;
    }
  }

  #forget(id: RequestId): void {
    const uris = this.#listening.get(id) ?? [];
    this.#listening.delete(id);
    const others = new Set([...this.#listening.values()].flat());
    for (const uri of uris) if (!others.has(uri)) this.#end(uri);
  }

  async #begin(uri: string): Promise<void> {
    if (this.#watched.has(uri)) return;
    const stop = new AbortController();
    this.#watched.set(uri, stop);
    try {
      const watch = await watchInbox(uri, this.#parts.contextFor(stop.signal).ask);
      void this.#keep(uri, watch, stop.signal);
    } catch (error) {
      this.#watched.delete(uri);
      throw error;
    }
  }

  async #keep(uri: string, watch: Watch, stop: AbortSignal): Promise<void> {
    for (let failures = 0; !stop.aborted;) {
      const changed = (): void => {
        failures = 0;
        this.#server?.sendResourceUpdated({ uri }).catch(() => {});
      };
      await watch(changed, stop).catch(async (error: unknown) => {
        if (stop.aborted) return;
        if (++failures === 1) this.#parts.report(`${uri}: ${(error as Error).message}`);
        await pause(backoffMs(failures), stop).catch(() => {});
      });
    }
  }

  #end(uri: string): void {
    this.#watched.get(uri)?.abort();
    this.#watched.delete(uri);
  }
}
