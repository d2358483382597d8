// A small pattern made of an agent's id, so that an agent is known again at a glance; five by five, the left half mirrored.
import { html, type Html } from "./html.ts";

const CELLS = 15;
const COLOURS = 6;

export function face(id: string): Html {
  const hex = id.slice(3);
  const cells = Array.from({ length: CELLS }, (_, i) => Number.parseInt(hex[i] ?? "0", 16) % 2 === 1);
  const path = cells
    .flatMap((on, i) => {
      const [x, y] = [i % 3, Math.floor(i / 3)];
      return on ? [`M${x} ${y}h1v1h-1z`, ...(x < 2 ? [`M${4 - x} ${y}h1v1h-1z`] : [])] : [];
    })
    .join("");
  return html`<svg class="face f${Number.parseInt(hex.slice(CELLS, CELLS + 1), 16) % COLOURS}" viewBox="0 0 5 5" aria-hidden="true">
    <path d="${path}" />
  </svg>`;
}
