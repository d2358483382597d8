// One exchange with a board over a raw connection: the outcome, and how long it took.
import { connect } from "node:net";
import type { FuzzRequest } from "./fuzz-requests.ts";

export interface Exchanged {
  /**
   * The status of the answer; `closed` if the board closed the connection without one, `gone` if the sender did, `silent` if nothing
   * happened.
   */
  readonly outcome: string;
  readonly from: number;
  readonly to: number;
}

const SILENT_MS = 15_000;
/** On a connection that stays open, an answer is complete when nothing more arrives for this long. */
const QUIET_MS = 300;
const TASTE_MS = 50;
const BETWEEN_MS = 2;

export async function exchange(port: number, { pieces, end }: FuzzRequest): Promise<Exchanged> {
  const from = Date.now();
  const outcome = await new Promise<string>((resolve) => {
    let text = "";
    const status = (): string | undefined => /^HTTP\/1\.1 (\d{3})/.exec(text)?.[1];
    const socket = connect(port, "127.0.0.1", () => void send());
    const leave = (word: string): void => {
      resolve(status() ?? word);
      socket.destroy();
    };
    const send = async (): Promise<void> => {
      for (const [i, piece] of pieces.entries()) {
        if (i > 0) await new Promise((next) => setTimeout(next, BETWEEN_MS));
        if (!socket.writable) return;
        socket.write(piece);
      }
      if (end === "half") socket.end();
      if (end === "gone") setTimeout(() => leave("gone"), BETWEEN_MS);
    };
    socket.setTimeout(SILENT_MS, () => leave("silent"));
    socket.on("data", (chunk: Buffer) => {
      if (text.length < 20) text += chunk.toString("latin1", 0, 20);
      socket.setTimeout(end === "taste" ? TASTE_MS : QUIET_MS);
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve(status() ?? "closed"));
  });
  return { outcome, from, to: Date.now() };
}
