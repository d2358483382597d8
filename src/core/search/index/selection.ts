// Which documents of a part a query means, and how often each clause stands in them.
import type { Query } from "../query.ts";
import { clausePostings } from "./clause.ts";
import type { Part, Postings } from "./part.ts";

export interface Selection {
  readonly part: Part;
  readonly clauses: readonly Postings[];
  /** Ascending numbers of the documents that match and are not gone. */
  readonly docs: Uint32Array;
}

export function select(part: Part, query: Query): Selection {
  const clauses = query.clauses.map((clause) => clausePostings(part, clause));
  const not = query.not.map((clause) => clausePostings(part, clause));
  return { part, clauses, docs: combine(part, query.mode, clauses, not) };
}

const EXCLUDED = 0xff;

function combine(part: Part, mode: Query["mode"], clauses: readonly Postings[], not: readonly Postings[]): Uint32Array {
  const [only] = clauses;
  if (clauses.length === 1 && only !== undefined && not.length === 0) {
    return part.deadCount === 0 ? only.docs : only.docs.filter((doc) => part.dead[doc] === 0);
  }
  if (mode === "all" && clauses.some(({ docs }) => docs.length === 0)) return new Uint32Array(0);

  // How many clauses each document has; those excluded or gone have more than any query can ask.
  const counts = new Uint8Array(part.documents);
  for (const { docs } of clauses) for (let i = 0; i < docs.length; i++) counts[docs[i]!]!++;
  for (const { docs } of not) for (let i = 0; i < docs.length; i++) counts[docs[i]!] = EXCLUDED;
  if (part.deadCount > 0) for (let doc = 0; doc < part.documents; doc++) if (part.dead[doc] === 1) counts[doc] = EXCLUDED;

  const least = mode === "all" ? clauses.length : Math.min(1, clauses.length);
  const found = new Uint32Array(part.documents);
  let count = 0;
  for (let doc = 0; doc < part.documents; doc++) if (counts[doc]! >= least && counts[doc] !== EXCLUDED) found[count++] = doc;
  return found.subarray(0, count);
}
