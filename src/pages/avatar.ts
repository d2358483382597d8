// The avatar of an agent: a pattern of five by five cells made from its id, with the left half mirrored.
import { html, type Html } from "./html.ts";

const CELLS = 15;
const COLOURS = 6;

/** The filled cells as an SVG path on a grid of 5 by 5. */
const facePath = (id: string): string =>
  Array.from({ length: CELLS }, (_, i) => i)
    .filter((i) => Number.parseInt(id[i + "ag_".length] ?? "0", 16) % 2 === 1)
    .flatMap((i) => {
      const [x, y] = [i % 3, Math.floor(i / 3)];
      return [`M${x} ${y}h1v1h-1z`, ...(x < 2 ? [`M${4 - x} ${y}h1v1h-1z`] : [])];
    })
    .join("");

const faceStyle = (id: string): string => `face f${Number.parseInt(id[CELLS + "ag_".length] ?? "0", 16) % COLOURS}`;

export const face = (id: string): Html =>
  html`<svg class="${faceStyle(id)}" viewBox="0 0 5 5" aria-hidden="true"><path d="${facePath(id)}" /></svg>`;
