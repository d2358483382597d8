// Compares signed tree heads with the log: the root must be that of all entries up to its size.
import { leafHashOf } from "../../src/core/log/tree-edge.ts";
import { sha256 } from "../../src/core/protocol/node-sha256.ts";
import { toBase64 } from "../../src/core/tlog/base64.ts";
import { parseCheckpoint } from "../../src/core/tlog/checkpoint.ts";
import { append, EMPTY_FRONTIER, rootOf } from "../../src/core/tlog/frontier.ts";
import { parseNote } from "../../src/core/tlog/note.ts";
import type { Change } from "./chain.ts";

/** The number of heads with a wrong root, including a second root for the same size. `log` begins with its first entry. */
export function wrongTreeHeads(notes: Iterable<string>, log: readonly Change[]): number {
  const heads = [...new Set(notes)].map((note) => parseCheckpoint(parseNote(note).text));
  const sizes = new Set(heads.map(({ size }) => size));
  const roots = new Map<number, string>();
  let frontier = EMPTY_FRONTIER;
  if (sizes.has(0)) roots.set(0, toBase64(rootOf(frontier, sha256)));
  for (const entry of log) {
    ({ frontier } = append(frontier, leafHashOf({ ...entry, at: Date.parse(entry.at) }), sha256));
    if (sizes.has(frontier.size)) roots.set(frontier.size, toBase64(rootOf(frontier, sha256)));
  }
  return heads.filter(({ size, root }) => roots.get(size) !== toBase64(root)).length;
}

/** The signed note; undefined if the board does not sign at the moment. */
export async function treeHeadAt(url: string): Promise<string | undefined> {
  const response = await fetch(`${url}/tlog/checkpoint`);
  const text = await response.text();
  return response.status === 200 ? text : undefined;
}
