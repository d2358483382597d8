// The time of board processes, which the test that started them controls.
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath, pathToFileURL } from "node:url";
import { CLOCK, programFile } from "./built.ts";

export class ProcessClock {
  readonly #following = new Set<ChildProcess>();
  #now = Date.now();

  readonly now = (): number => this.#now;

  /** Flags of `node` before the program. */
  get flags(): readonly string[] {
    return ["--import", fileURLToPath(import.meta.resolve("./set-clock-preload.ts"))];
  }
  get env(): Readonly<Record<string, string>> {
    return { BOARD_TEST_NOW: String(this.#now), BOARD_TEST_CLOCK: pathToFileURL(programFile(CLOCK)).href };
  }

  /** From now on, this child process gets every change of the time through its channel. */
  lead(child: ChildProcess): void {
    this.#following.add(child);
    child.once("exit", () => this.#following.delete(child));
  }

  /** Moves time forward; resolves when every remaining process has called what became due. */
  async advance(ms: number): Promise<void> {
    this.#now += ms;
    await Promise.all([...this.#following].map((child) => tell(child, this.#now)));
  }
}

async function tell(child: ChildProcess, now: number): Promise<void> {
  const over = new AbortController();
  const { signal } = over;
  const heard = Promise.race([once(child, "message", { signal }), once(child, "exit", { signal })]);
  // A process that is ending needs no time any more.
  child.send(now, () => {});
  await heard.finally(() => over.abort());
}
