// A reader of the stream, frame by frame.
import type { TestBoard } from "./board.ts";

export interface Frame {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: unknown;
}

export interface StreamReader extends AsyncDisposable {
  /** The next frame; it must be of this kind where one is named. */
  next(event?: string): Promise<Frame>;
  readonly status: number;
}

export async function openStream(board: Pick<TestBoard, "url">, path: string, headers: Record<string, string> = {}): Promise<StreamReader> {
  const controller = new AbortController();
  const response = await fetch(board.url + path, { headers, signal: controller.signal });
  if (response.body === null) throw new Error("no body");
  const frames = framesOf(response.body);
  return {
    status: response.status,
    async next(event) {
      const { value, done } = await frames.next();
      if (done === true) throw new Error("the stream has ended");
      if (event !== undefined && value.event !== event) throw new Error(`expected ${event}, got ${JSON.stringify(value)}`);
      return value;
    },
    async [Symbol.asyncDispose]() {
      controller.abort();
    },
  };
}

export async function* framesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Frame, void> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const lines = text.slice(0, end).split("\n");
      text = text.slice(end + 2);
      const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      const event = field("event");
      if (event !== undefined) yield { event, id: field("id"), data: JSON.parse(field("data") ?? "null") as unknown };
    }
  }
}
