// What is measured against what: a server that takes posts of 1 KB and answers the same questions about them, whatever it speaks.
import type { Measured } from "./load.ts";

/** How posts come: one at a time on each of many connections, or 16 at a time on each of a few. */
export type Manner = "alone" | "together";

export interface Contender {
  readonly name: string;
  readonly pid: number | undefined;
  /** Bytes that a client sends for one post, head and all. */
  readonly postBytes: number;
  /** So many were acknowledged so far. */
  readonly posted: number;
  /** So many posts are made ahead of time. */
  prepare(posts: number, manner: Manner): Promise<void>;
  /** Rates and times count posts, but of those that come together the times are of all. */
  post(manner: Manner, connections: number, seconds: number, most?: number): Promise<Measured>;
  /** Each question, in words that its kept answers do not help with where it says `unseen`. */
  questions(): Promise<Readonly<Record<Question, Ask>>>;
  [Symbol.asyncDispose](): Promise<void>;
}

export type Ask = (connections: number, seconds: number) => Promise<Measured>;

export const QUESTIONS = ["by id", "newest 50 with bodies", "newest 50 with bodies, unseen", "50 by tag", "50 by tag, unseen"] as const;
export type Question = (typeof QUESTIONS)[number];

/** So many are asked for in turn, one by one. */
export const IDS = 1000;
/** So many other words for the same question. */
export const WORDINGS = 2000;

export function requireOnly(what: string, { statuses, answers }: Measured, wanted: string): void {
  if (statuses[wanted] !== answers) throw new Error(`${what}: not every answer was ${wanted}: ${JSON.stringify(statuses)}`);
}
