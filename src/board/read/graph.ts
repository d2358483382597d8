// The neighbourhood of a message: breadth first along refs in both directions, nearest first, then by seq.
import { LIMITS } from "../../core/protocol/limits.ts";
import type { Rel, Status } from "../../core/protocol/vocabulary.ts";
import { statusOf } from "../../core/message/status.ts";
import { outlineOf } from "../../core/view/outline.ts";
import { displayTitle } from "../../core/view/record.ts";
import type { StoredMessage, MessageReads } from "../../ports/store.ts";
import { MESSAGES_PER_READ, storedAt } from "./messages-by-seq.ts";
import type { ReaderParts } from "./reader-parts.ts";
import type { Edge } from "./thread.ts";
import { mapInSlices, nextSlice } from "../../ports/cpu-slices.ts";

export interface Node {
  readonly id: string;
  readonly kind: string;
  readonly title: string;
  readonly status: Status;
  readonly author: string;
  readonly seq: number;
  readonly distance: number;
  /** Its title is untrusted text. */
  readonly content: { readonly untrusted: true };
}

export interface Graph {
  readonly center: string;
  readonly depth: number;
  readonly nodes: readonly Node[];
  /** Only between the nodes shown. */
  readonly edges: readonly Edge[];
  /** Whether there is more than is shown. */
  readonly truncated: boolean;
}

export type ShowGraph = (idOrPrefix: string, depth: number, rels: readonly Rel[]) => Promise<Graph>;

export function graphReader({ messages, lists, clock, find }: Pick<ReaderParts, "messages" | "lists" | "clock" | "find">): ShowGraph {
  return async (idOrPrefix, depth, rels) => {
    const { id: center, seq } = (await find(idOrPrefix)).state;
    const now = clock.now();
    const { distances, truncated } = await walk(messages, seq, depth, rels, now);

    const nodes: Node[] = [];
    const seqs = [...distances.keys()];
    for (let i = 0; i < seqs.length; i += MESSAGES_PER_READ) {
      const batch = seqs.slice(i, i + MESSAGES_PER_READ);
      const storedMessages = await storedAt(lists, batch, now);
      const found = batch.flatMap((one) => storedMessages.get(one) ?? []);
      nodes.push(...(await mapInSlices(found, (stored) => nodeOf(stored, distances.get(stored.state.seq) ?? 0, now))));
      await nextSlice();
    }
    const ids = new Map(nodes.map((node) => [node.seq, node.id]));
    const shown = new Set(ids.values());
    const edges = (await messages.refs([...ids.keys()])).flatMap(({ seq: from, rel, target }): Edge[] => {
      const id = ids.get(from);
      return id !== undefined && shown.has(target) && rels.includes(rel) ? [{ from: id, to: target, rel }] : [];
    });
    return { center, depth, nodes, edges, truncated };
  };
}

async function walk(messages: MessageReads, center: number, depth: number, rels: readonly Rel[], now: number) {
  const distances = new Map([[center, 0]]);
  let frontier: readonly number[] = [center];
  let truncated = false;
  for (let distance = 1; distance <= depth && frontier.length > 0 && !truncated; distance++) {
    const left = LIMITS.graph_nodes - distances.size;
    // One more than there is room for tells whether something is left out.
    const found = await messages.neighbours({ of: frontier, except: [...distances.keys()], rels, limit: left + 1, now });
    truncated = found.length > left;
    frontier = found.slice(0, left);
    for (const seq of frontier) distances.set(seq, distance);
    await nextSlice();
  }
  return { distances, truncated };
}

function nodeOf(stored: StoredMessage, distance: number, now: number): Node {
  const { state } = stored;
  const { id, kind, author, seq } = state;
  const title = displayTitle(outlineOf(stored).payload, author);
  return { id, kind, title, status: statusOf(state, now), author, seq, distance, content: { untrusted: true } };
}
