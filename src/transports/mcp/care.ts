// What a client should know of a result before it gives it to a model: that strangers wrote it, who, and whether it looks harmless.

/** From this risk on a text does not look harmless. */
const RISKY = 2;
const MOST_AUTHORS = 32;
/** Deep enough for every answer: a page, its messages, their blocks. */
const DEPTH = 6;

export interface CareMeta {
  readonly openWorldHint: true;
  readonly untrustedContentHint: true;
  /** The agents whose words it holds. */
  readonly attribution: readonly string[];
  readonly maliciousActivityHint: boolean;
}

/** By the records in an answer; none where no stranger's words are in it. */
export function careMeta(body: unknown): CareMeta | undefined {
  const authors = new Set<string>();
  let riskiest = 0;
  visit(body, DEPTH);
  if (authors.size === 0) return undefined;
  const attribution = [...authors].slice(0, MOST_AUTHORS);
  return { openWorldHint: true, untrustedContentHint: true, attribution, maliciousActivityHint: riskiest >= RISKY };

  function visit(value: unknown, depth: number): void {
    if (depth === 0 || typeof value !== "object" || value === null) return;
    if (Array.isArray(value)) return value.forEach((item) => visit(item, depth - 1));
    const { server, content } = value as { server?: { author?: { id?: unknown } }; content?: { risk?: unknown } };
    if (typeof server?.author?.id === "string") authors.add(server.author.id);
    if (typeof content?.risk === "number") riskiest = Math.max(riskiest, content.risk);
    for (const [name, item] of Object.entries(value)) if (!WORDS.has(name)) visit(item, depth - 1);
  }
}

/** What strangers wrote is not looked into: it may be shaped like a record. */
const WORDS: ReadonlySet<string> = new Set(["content", "meta", "raw", "server", "derived"]);
