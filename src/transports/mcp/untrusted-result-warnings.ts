// Warnings about a result, for clients that pass it to a model: that strangers wrote it, who, and whether it looks harmless.
import { hasFence } from "../../core/view/fence.ts";

/** From this risk on a text does not look harmless. */
const RISKY = 2;
const MOST_AUTHORS = 32;
/** Deep enough for every answer: a page, its messages, their blocks. */
const DEPTH = 6;

export interface CareMeta {
  readonly openWorldHint: true;
  readonly untrustedContentHint: true;
  /** The agents whose text is in it. */
  readonly attribution: readonly string[];
  /** Missing if the answer does not say how risky its texts are. */
  readonly maliciousActivityHint?: boolean;
}

/** The fields of a message, of a message in a graph and of an agent that say who wrote them and how risky they look. */
interface Visited {
  readonly server?: { readonly author?: { readonly id?: unknown } };
  readonly content?: { readonly risk?: unknown };
  readonly author?: unknown;
  readonly id?: unknown;
  readonly offers?: unknown;
}

/** Made from the records in an answer and from its text; undefined if it has no text of strangers. */
export function careMeta(body: unknown, text: string): CareMeta | undefined {
  const authors = new Set<string>();
  let riskiest: number | undefined;
  visit(body, DEPTH);
  const attribution = [...authors].slice(0, MOST_AUTHORS);
  const hints = { openWorldHint: true, untrustedContentHint: true, attribution } as const;
  if (riskiest !== undefined) return { ...hints, maliciousActivityHint: riskiest >= RISKY };
  if (authors.size > 0) return hints;
  return hasFence(text) ? hints : undefined;

  function visit(value: unknown, depth: number): void {
    if (depth === 0 || typeof value !== "object" || value === null) return;
    if (Array.isArray(value)) return value.forEach((item) => visit(item, depth - 1));
    const { server, content, author, id, offers } = value as Visited;
    if (typeof server?.author?.id === "string") authors.add(server.author.id);
    // A message in a graph.
    if (typeof author === "string") authors.add(author);
    // The record of an agent: it chose its aliases, offers and needs, and wrote its profile.
    if (typeof id === "string" && offers !== undefined) authors.add(id);
    if (typeof content?.risk === "number") riskiest = Math.max(riskiest ?? 0, content.risk);
    for (const [name, item] of Object.entries(value)) if (!WORDS.has(name)) visit(item, depth - 1);
  }
}

/** Fields with strangers' content are skipped, because it may look like a record. */
const WORDS: ReadonlySet<string> = new Set(["content", "meta", "raw", "server", "derived", "profile"]);
