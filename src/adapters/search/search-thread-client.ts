// The index as the board sees it: calls go to the thread that owns it; a thread that dies is started again.
import { atCostOfNow, cost, laneNow, requireShare } from "../../ports/cpu-slices.ts";
import type { Telemetry } from "../../ports/telemetry.ts";
import { type SearchIndex, SearchUnavailable } from "../../ports/search.ts";
import { StoreFailure } from "../../ports/store.ts";
import { Lanes } from "../system/caller-lanes.ts";
import { startThread, type Thread } from "../system/start-thread.ts";
import type { SearchMethod, SearchReply, SearchRequest, SearchWork } from "./search-thread.ts";

const RESTART_MS = 1000;
/**
 * The thread works on one search at a time. Few searches of each caller may wait there, so that other callers do not wait for all of them.
 */
const AT_ONCE = { most: 6, each: 2 };

interface Waiting extends Pick<PromiseWithResolvers<unknown>, "resolve" | "reject"> {
  /** Charges processor time to the caller; throws if it has none left. */
  readonly spend: (ms: number) => void;
}

/** Returns at once; the first searches wait while the index catches up, or are refused while it is being built. */
export const openSearchIndex = (work: SearchWork, report: Telemetry): SearchIndex => new ThreadIndex(work, report);

class ThreadIndex implements SearchIndex {
  readonly #work: SearchWork;
  readonly #report: Telemetry;
  readonly #waiting = new Map<number, Waiting>();
  readonly #lanes = new Lanes(AT_ONCE);
  #worker: Thread | undefined;
  #restart: NodeJS.Timeout | undefined;
  #lastId = 0;
  #closed = false;

  constructor(work: SearchWork, report: Telemetry) {
    this.#work = work;
    this.#report = report;
    this.#start();
  }

  rank: SearchIndex["rank"] = (...args) => this.#search("rank", args);
  matching: SearchIndex["matching"] = (...args) => this.#search("matching", args);
  near: SearchIndex["near"] = (...args) => this.#search("near", args);
  similar: SearchIndex["similar"] = (...args) => this.#search("similar", args);
  status: SearchIndex["status"] = async () => (await this.#call("status", [])) as Awaited<ReturnType<SearchIndex["status"]>>;

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#restart);
    const worker = this.#worker;
    if (worker === undefined) return;
    const exited = new Promise((resolve) => worker.once("exit", resolve));
    await this.#call("close", []).catch((error: unknown) => this.#report.failed("search", error));
    await exited;
  }

  /** Searches in the turn of the caller's lane and at its cost. If it cannot pay for more, the search is stopped and refused. */
  async #search<T>(method: SearchMethod, args: readonly unknown[]): Promise<T> {
    const lane = laneNow();
    await this.#lanes.enter(lane);
    try {
      // Other searches of the same caller may have used up its time while this one waited.
      requireShare();
      const atItsCost = atCostOfNow();
      return (await this.#call(method, args, (ms) => atItsCost(() => cost(ms)))) as T;
    } finally {
      this.#lanes.leave(lane);
    }
  }

  #call(method: SearchMethod, args: readonly unknown[], spend: Waiting["spend"] = () => {}): Promise<unknown> {
    const worker = this.#worker;
    if (worker === undefined) return Promise.reject(new SearchUnavailable("The search index is being started."));
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#waiting.set(id, { resolve, reject, spend });
    worker.postMessage({ id, method, args } satisfies SearchRequest);
    return promise;
  }

  #start(): void {
    const worker = startThread("search-thread", import.meta.url, this.#work);
    this.#worker = worker;
    worker.on("message", (reply: SearchReply) => this.#receive(reply));
    worker.on("error", (error: Error) => this.#report.failed("search", error));
    worker.on("exit", () => this.#ended());
  }

  #receive(reply: SearchReply): void {
    if ("trouble" in reply) {
      const { trouble, code } = reply;
      return this.#report.failed("search", code === undefined ? new Error(trouble) : new StoreFailure(code, trouble));
    }
    const { id, ms } = reply;
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    const isOver = "value" in reply || "error" in reply;
    try {
      waiting.spend(ms);
    } catch (error) {
      this.#waiting.delete(id);
      if (!isOver) this.#worker?.postMessage({ id, stop: true } satisfies SearchRequest);
      return waiting.reject(error);
    }
    if (!isOver) return;
    this.#waiting.delete(id);
    if ("value" in reply) waiting.resolve(reply.value);
    else {
      const { name, message } = reply.error;
      waiting.reject(name === "SearchUnavailable" ? new SearchUnavailable(message) : new Error(message));
    }
  }

  #ended(): void {
    this.#worker = undefined;
    for (const waiting of this.#waiting.values()) waiting.reject(new SearchUnavailable("The search thread has ended."));
    this.#waiting.clear();
    if (this.#closed) return;
    this.#restart = setTimeout(() => this.#start(), RESTART_MS);
    this.#restart.unref();
  }
}
