// The time of board processes, moved by the test that started them.
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath, pathToFileURL } from "node:url";
import { CLOCK, programFile } from "./built.ts";

export class ProcessClock {
  readonly #following = new Set<ChildProcess>();
  #now = Date.now();

  readonly now = (): number => this.#now;

  /** What `node` is given before the program. */
  get flags(): readonly string[] {
    return ["--import", fileURLToPath(import.meta.resolve("./told-clock-preload.ts"))];
  }
  get env(): Readonly<Record<string, string>> {
    return { BOARD_TEST_NOW: String(this.#now), BOARD_TEST_CLOCK: pathToFileURL(programFile(CLOCK)).href };
  }

  /** From now on this process, which has a channel to this one, hears of every move. */
  lead(child: ChildProcess): void {
    this.#following.add(child);
    child.once("exit", () => this.#following.delete(child));
  }

  /** Moves time on; resolves when every process that is left has called what came due. */
  async advance(ms: number): Promise<void> {
    this.#now += ms;
    await Promise.all([...this.#following].map((child) => tell(child, this.#now)));
  }
}

async function tell(child: ChildProcess, now: number): Promise<void> {
  const over = new AbortController();
  const { signal } = over;
  const heard = Promise.race([once(child, "message", { signal }), once(child, "exit", { signal })]);
  // One that ends in this moment needs no time any more.
  child.send(now, () => {});
  await heard.finally(() => over.abort());
}
