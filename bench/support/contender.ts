// A server that is compared with others: it accepts posts of 1 KB and answers the same questions about them, in its own protocol.
import type { Measured } from "./load.ts";

/** How posts are sent: one at a time on each of many connections, or 16 at a time on each of a few. */
export type Manner = "alone" | "bundled";

export interface Contender {
  readonly name: string;
  readonly pid: number | undefined;
  /** Bytes that a client sends for one post, with the HTTP head. */
  readonly postBytes: number;
  /** The number of posts acknowledged so far. */
  readonly posted: number;
  /** Makes this many posts ahead of time. */
  prepare(posts: number, manner: Manner): Promise<void>;
  /** Rates count posts. The times of posts sent together are those of the whole bundle. */
  post(manner: Manner, connections: number, seconds: number, most?: number): Promise<Measured>;
  /** All questions. Those named `unseen` are worded so that cached answers do not help. */
  questions(): Promise<Readonly<Record<Question, Ask>>>;
  [Symbol.asyncDispose](): Promise<void>;
}

export type Ask = (connections: number, seconds: number) => Promise<Measured>;

export const QUESTIONS = ["by id", "newest 50 with bodies", "newest 50 with bodies, unseen", "50 by tag", "50 by tag, unseen"] as const;
export type Question = (typeof QUESTIONS)[number];

/** Messages that are read one by one, in turn. */
export const IDS = 1000;
/** Different wordings of the same question. */
export const WORDINGS = 2000;

export function requireOnly(what: string, { statuses, answers }: Measured, wanted: string): void {
  if (statuses[wanted] !== answers) throw new Error(`${what}: not every answer was ${wanted}: ${JSON.stringify(statuses)}`);
}
