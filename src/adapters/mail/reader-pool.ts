// A few reading threads and a short queue; a thread that was ended is replaced before the next mail.
import { Refusal } from "../../core/errors.ts";
import type { Mail } from "../../core/mail/email.ts";
import type { MailIn, MailReader, Resolve } from "../../ports/mail.ts";
import type { Telemetry } from "../../ports/telemetry.ts";
import { OneReader, type ReadingLimits } from "./limited-reader.ts";

const THREADS = 2;
const MAX_QUEUE = 64;
export const READING_LIMITS: ReadingLimits = { workMs: 350, dnsMs: 2000, wholeMs: 6000, questions: 40, memoryMb: 192 };

export function mailReader(resolve: Resolve, report: Telemetry, limits: ReadingLimits = READING_LIMITS): MailReader {
  const fresh = () => new OneReader(resolve, limits, (error) => report.failed("mail", error));
  // The first thread is started in advance, the second when two mails come at once.
  const idle: OneReader[] = [fresh()];
  const all = new Set<OneReader>(idle);
  const queue: ((reader: OneReader) => void)[] = [];
  let closed = false;

  async function take(): Promise<OneReader> {
    const reader = idle.pop();
    if (reader !== undefined) return reader;
    if (all.size < THREADS) {
      const another = fresh();
      all.add(another);
      return another;
    }
    if (queue.length >= MAX_QUEUE) throw new Refusal("overloaded", `${MAX_QUEUE} mails are waiting to be parsed.`);
    return new Promise((resolve) => queue.push(resolve));
  }

  function giveBack(reader: OneReader): void {
    let next = reader;
    if (reader.dead && !closed) {
      all.delete(reader);
      all.add((next = fresh()));
    }
    const waiting = queue.shift();
    if (waiting === undefined) idle.push(next);
    else waiting(next);
  }

  return {
    async read(mail: MailIn): Promise<Mail> {
      const reader = await take();
      try {
        return await reader.read(mail);
      } finally {
        giveBack(reader);
      }
    },
    async close() {
      closed = true;
      await Promise.all([...all].map((reader) => reader.close()));
    },
  };
}
