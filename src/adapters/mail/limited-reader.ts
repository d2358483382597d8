// One thread that reads one mail at a time, with limits on processor time, waiting time and DNS queries.
import { Worker } from "node:worker_threads";
import type { Mail } from "../../core/mail/email.ts";
import { type MailIn, MailUnreadable, type Resolve } from "../../ports/mail.ts";
import { within } from "../system/within.ts";
import { workerUrl } from "../system/worker-url.ts";
import type { FromThread, ToThread } from "./mail-worker-thread.ts";

export interface ReadingLimits {
  /** Processor time, so that a busy machine does not cause the refusal of a good mail. */
  readonly workMs: number;
  readonly dnsMs: number;
  /** The time from the first byte to the answer, including all waiting. */
  readonly wholeMs: number;
  readonly questions: number;
  readonly memoryMb: number;
}

interface Reading {
  readonly since: number;
  finish(result: Mail | Error): void;
  questions: number;
  watch: NodeJS.Timeout | undefined;
}

const late = (): Error => Object.assign(new Error("late"), { code: "ETIMEOUT" });

/** How often the thread's processor time is checked. */
const LOOK_EVERY_MS = 50;

export class OneReader {
  readonly #worker: Worker;
  readonly #resolve: Resolve;
  readonly #limits: ReadingLimits;
  readonly #ready: Promise<void>;
  #reading: Reading | undefined;
  /** The thread has ended; its owner needs a new one. */
  dead = false;

  constructor(resolve: Resolve, limits: ReadingLimits, onFault: (error: Error) => void) {
    this.#resolve = resolve;
    this.#limits = limits;
    this.#worker = new Worker(workerUrl("mail-worker-thread", import.meta.url), {
      name: "mail",
      resourceLimits: { maxOldGenerationSizeMb: limits.memoryMb },
    });
    this.#worker.unref();
    this.#ready = new Promise((ready) => {
      this.#worker.on("message", (message: FromThread) => ("ready" in message ? ready() : this.#receive(message)));
      this.#worker.on("error", (error: Error & { code?: string }) => {
        // A lack of memory is caused by the mail; everything else is an error of the board.
        if (error.code !== "ERR_WORKER_OUT_OF_MEMORY") onFault(error);
        this.#end(new MailUnreadable("It could not be parsed.", error.code !== "ERR_WORKER_OUT_OF_MEMORY"));
        ready();
      });
    });
  }

  async read(mail: MailIn): Promise<Mail> {
    // Loading the thread's code must not count against the mail, so it happens before the clock starts.
    await this.#ready;
    const before = await this.#work();
    if (this.dead) throw new MailUnreadable("It could not be parsed.", true);
    return new Promise((resolve, reject) => {
      const reading: Reading = {
        since: performance.now(),
        finish: (result) => (result instanceof Error ? reject(result) : resolve(result)),
        questions: 0,
        watch: undefined,
      };
      this.#reading = reading;
      reading.watch = setInterval(() => void this.#watch(reading, before), LOOK_EVERY_MS);
      this.#send({ mail });
    });
  }

  async close(reason = "The board is shutting down."): Promise<void> {
    this.#end(new MailUnreadable(reason, true));
    await this.#worker.terminate();
  }

  #send(message: ToThread): void {
    this.#worker.postMessage(message);
  }

  #receive(message: Exclude<FromThread, { ready: true }>): void {
    const reading = this.#reading;
    if (reading === undefined) return;
    if ("question" in message) {
      void this.#answer(reading, message);
      return;
    }
    clearInterval(reading.watch);
    this.#reading = undefined;
    reading.finish("read" in message ? message.read : new MailUnreadable(message.unreadable, false));
  }

  async #answer(reading: Reading, { question, name, type }: Extract<FromThread, { question: number }>): Promise<void> {
    const left = reading.since + this.#limits.dnsMs - performance.now();
    const answer: ToThread =
      ++reading.questions > this.#limits.questions || left <= 0
        ? { answer: question, code: "ETIMEOUT" }
        : await within(left, this.#resolve(name, type), late).then(
            (records) => ({ answer: question, records }),
            (error: unknown) => ({ answer: question, code: (error as NodeJS.ErrnoException).code ?? "ESERVFAIL" }),
          );
    if (this.#reading === reading) this.#send(answer);
  }

  async #watch(reading: Reading, before: number): Promise<void> {
    const work = (await this.#work()) - before;
    if (this.#reading !== reading) return;
    if (work > this.#limits.workMs || performance.now() - reading.since > this.#limits.wholeMs)
      await this.close("It took too long to parse.");
  }

  /** Milliseconds of processor time that the thread has used; NaN if that is unknown, which exceeds no limit. */
  async #work(): Promise<number> {
    try {
      const { user, system } = await this.#worker.cpuUsage();
      return (user + system) / 1000;
    } catch {
      return Number.NaN;
    }
  }

  #end(reason: MailUnreadable): void {
    this.dead = true;
    const reading = this.#reading;
    this.#reading = undefined;
    clearInterval(reading?.watch);
    reading?.finish(reason);
  }
}
