// Queries about threads and links between messages; part of the store's port.
import type { Votes } from "../core/message/status.ts";
import type { ThreadNews } from "../core/view/thread-summary.ts";
import type { Rel } from "../core/protocol/vocabulary.ts";

/** The size of a thread; it changes whenever a message joins or leaves. */
export interface ThreadExtent {
  readonly messages: number;
  readonly lastSeq: number;
}

/** Only a message's position in its thread, so that very large threads can be ordered. */
export interface Branch {
  readonly seq: number;
  /** The live message of the same thread that its first thread-joining ref points to. */
  readonly parent: number | null;
  readonly author: string;
  readonly expiresAt: number;
  /** Whether messages that arrived before it may refer to it: it is the root of the thread, or came back after its removal. */
  readonly isAwaited: boolean;
}

export interface BranchQuery {
  readonly after: number;
  readonly upTo: number;
  readonly limit: number;
  readonly now: number;
}

/** One ref of a stored message, in the order it was written. */
export interface StoredRef {
  readonly seq: number;
  readonly rel: Rel;
  readonly target: string;
}

export interface NeighbourQuery {
  readonly of: readonly number[];
  /** Messages that are known already, which are left out. */
  readonly except: readonly number[];
  readonly rels: readonly Rel[];
  readonly limit: number;
  readonly now: number;
}

export interface AnswerVotes extends Votes {
  readonly id: string;
  readonly asker: "verifies" | "refutes" | null;
}

/** A message that refutes an answer, by the ids of both. */
export interface Refutation {
  readonly id: string;
  readonly answer: string;
}

export interface ThreadReads {
  threadExtent(root: string): Promise<ThreadExtent>;
  /** The last event in each of these threads. */
  threadNews(roots: readonly string[], now: number): Promise<readonly ThreadNews[]>;
  /** The live messages of a thread after a seq, in order, at most `limit`. */
  branches(root: string, query: BranchQuery): Promise<readonly Branch[]>;
  /** Live answers to a message, oldest first, at most `limit`, each with its votes and the vote of `asker` on it. */
  answersTo(target: string, asker: string, limit: number, now: number): Promise<readonly AnswerVotes[]>;
  /** The newest refutation of each of these answers, among those that are their authors' current votes. */
  refutationsOf(answers: readonly string[], now: number): Promise<readonly Refutation[]>;
  refs(seqs: readonly number[]): Promise<readonly StoredRef[]>;
  /** Live messages one ref away in either direction, by seq, at most `limit`. */
  neighbours(query: NeighbourQuery): Promise<readonly number[]>;
}
