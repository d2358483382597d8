// The thread that owns the index, so that searches and maintenance never block the event loop of the board.
import type { MessagePort } from "node:worker_threads";
import { atTheCostOf } from "../../ports/cpu-slices.ts";
import type { SearchIndex, SearchSource } from "../../ports/search.ts";
import { StoreFailure } from "../../ports/store.ts";
import { LocalIndex } from "./local-index.ts";
import { embedderOf } from "./meaning-table.ts";
import { SearchNode } from "./index-service.ts";

/** A module in this thread that can read the board: it exports `openSource`. */
export interface SourceModule {
  readonly url: string;
  readonly options: unknown;
}

export interface SearchWork {
  readonly dir: string;
  readonly source: SourceModule;
  /** The file of the table of meanings; without it, texts are compared by their words alone. */
  readonly meaning?: string | undefined;
}

export type SearchMethod = keyof SearchIndex;

export interface SearchRequest {
  readonly id: number;
  readonly method: SearchMethod;
  readonly args: readonly unknown[];
}

/** `id` is that of the request; errors in the background have none. */
export type SearchReply =
  | { readonly id: number; readonly value: unknown; /** Processor time that it took. */ readonly ms: number }
  | { readonly id: number; readonly error: { readonly name: string; readonly message: string } }
  | { readonly trouble: string; /** Set if the storage failed. */ readonly code?: StoreFailure["code"] };

export async function run(port: MessagePort, { dir, source, meaning }: SearchWork): Promise<void> {
  const say = (reply: SearchReply, transfer: ArrayBuffer[] = []): void => port.postMessage(reply, transfer);
  const { openSource } = (await import(source.url)) as { openSource: (options: unknown) => SearchSource | Promise<SearchSource> };
  const node = new SearchNode(LocalIndex.open(dir, { embedder: embedderOf(meaning) }), await openSource(source.options), (error) =>
    say(troubleOf(error)),
  );
  node.start();

  const answer = async ({ id, method, args }: SearchRequest): Promise<void> => {
    try {
      let ms = 0;
      const share = { lane: "", spend: (spent: number) => void (ms += spent) };
      const called = node[method] as (...args: unknown[]) => Promise<unknown>;
      const value = await atTheCostOf(share, () => called.apply(node, [...args]));
      say({ id, value, ms }, value instanceof Uint32Array ? [value.buffer as ArrayBuffer] : []);
    } catch (error) {
      const { name, message, stack } = error as Error;
      say({ id, error: { name, message: name === "SearchUnavailable" ? message : (stack ?? message) } });
    }
    if (method === "close") port.close();
  };
  port.on("message", (request: SearchRequest) => void answer(request));
}

/** A full disk is reported once, by the board. */
function troubleOf(error: unknown): Extract<SearchReply, { trouble: string }> {
  if (error instanceof StoreFailure) return { trouble: error.message, code: error.code };
  const { code, message, stack } = error as NodeJS.ErrnoException;
  return code === "ENOSPC" ? { trouble: message, code: "storage_full" } : { trouble: String(stack ?? error) };
}
