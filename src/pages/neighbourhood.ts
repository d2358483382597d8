// The messages around a message as a picture: what it refers to on the left, what refers to it on the right.
import type { Rel, Status } from "../core/protocol/vocabulary.ts";
import { html, type Html } from "./html.ts";
import { kindShape } from "./marks.ts";
import { untrusted } from "./untrusted.ts";

export interface GraphNode {
  readonly id: string;
  readonly kind: string;
  readonly title: string;
  readonly status: Status;
  readonly distance: number;
  readonly seq: number;
}
export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  readonly rel: Rel;
}
export interface GraphView {
  readonly center: string;
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  readonly truncated: boolean;
}

const NODE = { width: 176, height: 44, gapX: 84, gapY: 12 } as const;
const LINE_CHARS = 23;
/** More would be a tangle; the nearest are drawn. */
const DRAWN = 24;

interface Placed extends GraphNode {
  readonly x: number;
  readonly y: number;
}

export function neighbourhood({ center, nodes, edges, truncated }: GraphView): Html {
  const drawn = nodes.slice(0, DRAWN);
  const columns = columnsOf(center, drawn, edges);
  const { placed, width, height } = place(columns);
  const at = new Map(placed.map((node) => [node.id, node]));
  const left = nodes.length - drawn.length;
  return html`<figure class="graph" data-graph="${center}">
    <div class="wide" tabindex="0" role="region" aria-label="Picture of the messages around this one">
      <svg viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="group" aria-label="Messages around this one">
        <defs>
          <marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
            <path d="M1 1l6 3-6 3z" />
          </marker>
        </defs>
        <g class="edges">${edges.map((edge) => edgeOf(edge, at.get(edge.from), at.get(edge.to)))}</g>
        <g class="nodes">${placed.map((node) => nodeOf(node, node.id === center))}</g>
      </svg>
    </div>
    ${(left > 0 || truncated) && html`<figcaption>${left > 0 ? `${left} more are further away or came later.` : "More is within reach than is drawn."}</figcaption>`}
  </figure>`;
}

/** Signed distance from the middle: left what is referred to, right what refers. */
function columnsOf(center: string, nodes: readonly GraphNode[], edges: readonly GraphEdge[]): Map<number, GraphNode[]> {
  const side = new Map([[center, 0]]);
  for (const node of nodes.toSorted((a, b) => a.distance - b.distance)) {
    if (side.has(node.id)) continue;
    const away = (id: string): boolean => Math.abs(side.get(id) ?? Infinity) === node.distance - 1;
    const edge = edges.find(({ from, to }) => (from === node.id && away(to)) || (to === node.id && away(from)));
    const near = edge === undefined ? 0 : (side.get(edge.from === node.id ? edge.to : edge.from) ?? 0);
    const way = near === 0 ? (edge?.from === node.id ? 1 : -1) : Math.sign(near);
    side.set(node.id, way * node.distance);
  }
  const columns = new Map<number, GraphNode[]>();
  for (const node of nodes) {
    const column = side.get(node.id) ?? 0;
    columns.set(column, [...(columns.get(column) ?? []), node]);
  }
  return columns;
}

function place(columns: ReadonlyMap<number, readonly GraphNode[]>): { placed: Placed[]; width: number; height: number } {
  const order = [...columns.keys()].sort((a, b) => a - b);
  const most = Math.max(...[...columns.values()].map((column) => column.length));
  const step = NODE.height + NODE.gapY;
  const height = most * step + NODE.gapY;
  const placed = order.flatMap((column, i) => {
    const nodes = (columns.get(column) ?? []).toSorted((a, b) => a.seq - b.seq);
    const top = (height - nodes.length * step + NODE.gapY) / 2;
    return nodes.map((node, row) => ({ ...node, x: 2 + i * (NODE.width + NODE.gapX), y: top + row * step }));
  });
  return { placed, width: order.length * (NODE.width + NODE.gapX) - NODE.gapX + 4, height };
}

function edgeOf({ from, to, rel }: GraphEdge, source: Placed | undefined, target: Placed | undefined): Html | false {
  if (source === undefined || target === undefined) return false;
  const middle = NODE.height / 2;
  const leftwards = source.x > target.x;
  const x1 = leftwards ? source.x : source.x + NODE.width;
  const x2 = leftwards ? target.x + NODE.width : target.x;
  const [y1, y2] = [source.y + middle, target.y + middle];
  const same = source.x === target.x;
  const bend = same ? x1 + 30 : (x1 + x2) / 2;
  const end = same ? target.x + NODE.width : x2;
  const path = `M${x1} ${y1}C${bend} ${y1} ${bend} ${y2} ${end} ${y2}`;
  // Near the end where lines come from many sides, so that words do not lie on each other.
  const at = { x: same ? bend : x1 + (end - x1) * 0.5, y: y1 + (y2 - y1) * 0.5 - 4 };
  return html`<g data-edge data-from="${from}" data-to="${to}" class="rel r-${rel}"
    ><path d="${path}" marker-end="url(#tip)" /><text x="${Math.round(at.x)}" y="${Math.round(at.y)}">${rel.replaceAll("_", " ")}</text></g
  >`;
}

function nodeOf({ id, kind, title, status, x, y }: Placed, center: boolean): Html {
  const [first, second] = lines(untrusted(title));
  return html`<a href="/m/${id}" data-node="${id}" class="node s-${status}${center && " center"}" transform="translate(${x} ${y})"
    ><title>${kind}, ${status}: ${untrusted(title)}</title><rect width="${NODE.width}" height="${NODE.height}" rx="3" /><svg
      class="i"
      x="6"
      y="6"
      width="12"
      height="12"
    >
      <use href="#k-${kindShape(kind)}" /></svg
    ><svg class="i st" x="6" y="26" width="12" height="12"><use href="#s-${status}" /></svg
    ><text x="25" y="${second === "" ? 27 : 18}">${first}</text>${second !== "" && html`<text x="25" y="35">${second}</text>`}</a
  >`;
}

/** A title on two short lines; the whole of it is shown to whoever points at it. */
function lines(title: string): readonly [string, string] {
  const words = title.replaceAll(/\s+/g, " ").trim();
  if (words.length <= LINE_CHARS) return [words, ""];
  const cut = words.lastIndexOf(" ", LINE_CHARS);
  const end = cut > LINE_CHARS / 3 ? cut : LINE_CHARS;
  const rest = words.slice(end).trim();
  return [words.slice(0, end), rest.length > LINE_CHARS ? `${rest.slice(0, LINE_CHARS - 1)}…` : rest];
}
