// A board's log in memory, as the search index reads it: posts, ends and returns, each with its seq.
import type { Payload } from "../../src/core/protocol/payload.ts";
import { type Document, documentOf } from "../../src/core/search/document.ts";
import type { SearchSource, SourceChanges, SourceMessage } from "../../src/ports/search.ts";

type LogEntry = { readonly type: "create" | "expire" | "retract" | "restore"; readonly message: number };

export class MemoryLog implements SearchSource {
  readonly #entries: LogEntry[] = [];
  readonly #live = new Map<number, string>();
  readonly #erased = new Map<number, string>();
  readonly #documents = new Map<string, Document>();
  readonly name: string;

  /** Logs of different names have different hashes. */
  constructor(name = "log") {
    this.name = name;
  }

  post(fields: { readonly title?: string; readonly body?: string }): number {
    const seq = this.#entries.push({ type: "create", message: this.#entries.length + 1 });
    this.#live.set(seq, JSON.stringify({ v: 1, pk: "", ts: 0, kind: "note", ...fields }));
    return seq;
  }
  leave(message: number, type: "expire" | "retract"): void {
    this.#erased.set(message, this.#live.get(message) ?? "");
    this.#live.delete(message);
    this.#entries.push({ type, message });
  }
  restore(message: number): void {
    this.#live.set(message, this.#erased.get(message) ?? "");
    this.#erased.delete(message);
    this.#entries.push({ type: "restore", message });
  }

  /** The documents that a search has to find now. */
  documents(): Map<number, Document> {
    return new Map(this.#messages(0, Infinity).map(({ seq, payload }) => [seq, this.#document(payload)]));
  }

  head(): number {
    return this.#entries.length;
  }
  hashAt(seq: number): string | undefined {
    return seq <= this.#entries.length ? `${this.name} ${seq}` : undefined;
  }
  changes(after: number, upTo: number): SourceChanges {
    const entries = this.#entries.slice(after, upTo);
    const of = (type: LogEntry["type"]): number[] => entries.filter((entry) => entry.type === type).map(({ message }) => message);
    const back = this.#payloads(of("restore"));
    return {
      ended: [
        ...of("expire")
          .filter((seq) => this.#erased.has(seq))
          .map((seq) => ({ seq, erase: "later" as const })),
        ...of("retract")
          .filter((seq) => this.#erased.has(seq))
          .map((seq) => ({ seq, erase: "soon" as const })),
        ...back.map(({ seq }) => ({ seq, erase: "later" as const })),
      ],
      arrived: [...this.#messages(after, upTo), ...back],
    };
  }
  messages(after: number, upTo: number, limit: number): readonly SourceMessage[] {
    return this.#messages(after, upTo).slice(0, limit);
  }
  #payloads(seqs: readonly number[]): readonly SourceMessage[] {
    return seqs.flatMap((seq) => {
      const payload = this.#live.get(seq);
      return payload === undefined ? [] : [{ seq, payload }];
    });
  }
  close(): void {}

  #document(payload: string): Document {
    let document = this.#documents.get(payload);
    if (document === undefined) this.#documents.set(payload, (document = documentOf(JSON.parse(payload) as Payload)));
    return document;
  }

  #messages(after: number, upTo: number): SourceMessage[] {
    const seqs = [...this.#live.keys()].filter((seq) => seq > after && seq <= upTo).sort((a, b) => a - b);
    return [...this.#payloads(seqs)];
  }
}
