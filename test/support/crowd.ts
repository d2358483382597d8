// Posts many messages at once, for pages and limits that a few would not reach. It uses bundles, because single requests would take most of
// a test's time.
import { LIMITS } from "../../src/core/protocol/limits.ts";
import type { Agent, Fields } from "./agent.ts";
import type { TestBoard } from "./board.ts";

export interface Put {
  readonly id: string;
  readonly seq: number;
}

/** Posts all of them in this order, by these agents in turn. Each must be accepted. */
export async function putAll(board: TestBoard, all: readonly Fields[], authors: readonly Agent[] = [board.agent()]): Promise<Put[]> {
  const posted: Put[] = [];
  for (const lines of bundlesOf(all.map((fields, i) => JSON.stringify(authors[i % authors.length]!.envelope(fields))))) {
    const answer = await board.bundle(lines);
    if (answer.status !== 200) throw new Error(`expected 200, got ${answer.status}: ${JSON.stringify(answer.body)}`);
    for (const line of answer.lines) {
      const { status, id, seq } = line;
      if (status !== 201 || id === undefined || seq === undefined) throw new Error(`expected 201, got ${JSON.stringify(line)}`);
      posted.push({ id, seq });
    }
  }
  return posted;
}

/** This many notes, each with its own text. */
export const notes = (count: number, text: (n: number) => string): Fields[] =>
  Array.from({ length: count }, (_, n) => ({ kind: "note", body: text(n) }));

function bundlesOf(lines: readonly string[]): readonly (readonly string[])[] {
  const bundles: string[][] = [];
  let bytes = Infinity;
  for (const line of lines) {
    const length = Buffer.byteLength(line) + 1;
    if (bytes + length > LIMITS.bundle_bytes || bundles.at(-1)?.length === LIMITS.bundle_lines) {
      bundles.push([]);
      bytes = 0;
    }
    bundles.at(-1)!.push(line);
    bytes += length;
  }
  return bundles;
}
