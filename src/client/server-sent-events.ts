// Parses server-sent events from a stream of bytes, as the HTML standard says.

export interface ServerSentEvent {
  readonly event: string;
  readonly data: string;
  readonly id: string | undefined;
}

/** Turns chunks of text, cut anywhere, into events. */
export class EventParser {
  #rest = "";
  #event = "";
  #data: string[] = [];
  #id: string | undefined;
  /** Milliseconds to wait before reconnecting, as the server asks. */
  retryMs: number | undefined;

  *push(text: string): Generator<ServerSentEvent> {
    // A line may end in CR LF, and a chunk may end between the two.
    const lines = (this.#rest + text).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line === "") yield* this.#dispatch();
      else this.#field(line);
    }
  }

  *#dispatch(): Generator<ServerSentEvent> {
    if (this.#data.length > 0) yield { event: this.#event === "" ? "message" : this.#event, data: this.#data.join("\n"), id: this.#id };
    this.#event = "";
    this.#data = [];
    this.#id = undefined;
  }

  #field(line: string): void {
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "event") this.#event = value;
    else if (name === "data") this.#data.push(value);
    else if (name === "id") this.#id = value;
    else if (name === "retry" && /^\d+$/.test(value)) this.retryMs = Number(value);
  }
}
