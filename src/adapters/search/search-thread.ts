// The thread that owns the index, so that searches and maintenance never block the event loop of the board.
import type { MessagePort } from "node:worker_threads";
import { atTheCostOf, type Share } from "../../ports/cpu-slices.ts";
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

/** `stop` ends a search whose caller cannot pay for it. */
export type SearchRequest =
  | { readonly id: number; readonly method: SearchMethod; readonly args: readonly unknown[] }
  | { readonly id: number; readonly stop: true };

/** `id` is that of the request; errors in the background have none. `ms` is the processor time since the last reply to it. */
export type SearchReply =
  | { readonly id: number; readonly ms: number }
  | { readonly id: number; readonly ms: number; readonly value: unknown }
  | { readonly id: number; readonly ms: number; readonly error: { readonly name: string; readonly message: string } }
  | { readonly trouble: string; /** Set if the storage failed. */ readonly code?: StoreFailure["code"] };

export async function run(port: MessagePort, { dir, source, meaning }: SearchWork): Promise<void> {
  const say = (reply: SearchReply, transfer: ArrayBuffer[] = []): void => port.postMessage(reply, transfer);
  const { openSource } = (await import(source.url)) as { openSource: (options: unknown) => SearchSource | Promise<SearchSource> };
  const node = new SearchNode(LocalIndex.open(dir, { embedder: embedderOf(meaning) }), await openSource(source.options), (error) =>
    say(troubleOf(error)),
  );
  node.start();

  const running = new Map<number, SearchBill>();
  const answer = async ({ id, method, args }: Exclude<SearchRequest, { stop: true }>): Promise<void> => {
    const bill = new SearchBill((ms) => say({ id, ms }));
    running.set(id, bill);
    try {
      const called = node[method] as (...args: unknown[]) => Promise<unknown>;
      const value = await atTheCostOf(bill, () => called.apply(node, [...args]));
      say({ id, value, ms: bill.due() }, value instanceof Uint32Array ? [value.buffer as ArrayBuffer] : []);
    } catch (error) {
      const { name, message, stack } = error as Error;
      say({ id, error: { name, message: name === "SearchUnavailable" ? message : (stack ?? message) }, ms: bill.due() });
    }
    running.delete(id);
    if (method === "close") port.close();
  };
  port.on("message", (request: SearchRequest) => {
    if ("stop" in request) running.get(request.id)?.stop();
    else void answer(request);
  });
}

/** The processor time of a search is reported while it runs, after each of these. */
const REPORTED_MS = 20;

class SearchBill implements Share {
  readonly lane = "";
  readonly #report: (ms: number) => void;
  #ms = 0;
  #stopped = false;

  constructor(report: (ms: number) => void) {
    this.#report = report;
  }

  spend(ms: number): void {
    this.#ms += ms;
    if (this.#stopped) throw new Error("The caller cannot pay for this search.");
    if (this.#ms >= REPORTED_MS) this.#report(this.due());
  }

  stop(): void {
    this.#stopped = true;
  }

  /** What was not reported yet. */
  due(): number {
    const ms = this.#ms;
    this.#ms = 0;
    return ms;
  }
}

/** A full disk is reported once, by the board. */
function troubleOf(error: unknown): Extract<SearchReply, { trouble: string }> {
  if (error instanceof StoreFailure) return { trouble: error.message, code: error.code };
  const { code, message, stack } = error as NodeJS.ErrnoException;
  return code === "ENOSPC" ? { trouble: message, code: "storage_full" } : { trouble: String(stack ?? error) };
}
