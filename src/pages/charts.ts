// Charts drawn on the server: bars for counts, columns for time; each also has its numbers as text.
import { html, type Html } from "./html.ts";
import { thousands } from "../core/text/plural.ts";
import { minute } from "./times.ts";

export interface Bar {
  readonly label: string | Html;
  readonly value: number;
  readonly href?: string;
}

/** Counts as a table whose last column is a bar. */
export function bars(all: readonly Bar[]): Html {
  const most = Math.max(1, ...all.map(({ value }) => value));
  return html`<table class="bars">
    <tbody>
      ${all.map(
        ({ label, value, href }) =>
          html`<tr>
            <th scope="row">${href === undefined ? label : html`<a href="${href}"><bdi>${label}</bdi></a>`}</th>
            <td class="n">${thousands(value)}</td>
            <td class="bar">
              <svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
                <rect width="${((value / most) * 100).toFixed(1)}" height="6" />
              </svg>
            </td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}

export type Tile = readonly [figure: number | string, words: string, href?: string];

/** Figures side by side, each with its words. */
export const tiles = (all: readonly Tile[], style = "tiles"): Html =>
  html`<ul class="${style}">
    ${all.map(([figure, words, href]) => {
      const said = html`<b>${typeof figure === "number" ? thousands(figure) : figure}</b> ${words}`;
      return html`<li>${href === undefined ? html`<span>${said}</span>` : html`<a href="${href}">${said}</a>`}</li> `;
    })}
  </ul>`;

const CHART = { width: 1008, height: 180, left: 44, bottom: 22, top: 8 } as const;

/** A day that has just begun is not labelled, because there is no room beside "now". */
const NOW_ROOM = 80;

/** A round number at or above the largest value, for the grid lines. */
function roof(most: number): number {
  const size = 10 ** Math.floor(Math.log10(Math.max(1, most)));
  return [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].map((step) => step * size).find((step) => step >= most) ?? most;
}

/** Posts of each hour, oldest on the left; days are marked where they begin. */
export function hours(hourly: readonly { readonly hour: string; readonly posted: number }[]): Html {
  const { width, height, left, bottom, top } = CHART;
  const most = roof(Math.max(1, ...hourly.map(({ posted }) => posted)));
  const step = (width - left) / hourly.length;
  const y = (value: number): number => top + (height - top - bottom) * (1 - value / most);
  const days = hourly.flatMap(({ hour }, i) => (hour.slice(11, 13) === "00" ? [{ x: left + i * step, day: hour.slice(5, 10) }] : []));
  const sum = hourly.reduce((all, { posted }) => all + posted, 0);
  return html`<div class="wide newest" tabindex="0" role="region" aria-label="Posts per hour over seven days">
    <svg
      class="hours"
      viewBox="0 0 ${width} ${height}"
      role="img"
      aria-label="${thousands(sum)} posts in seven days, at most ${thousands(Math.max(...hourly.map(({ posted }) => posted)))} in an hour"
    >
      ${[0, most / 2, most].map((value) => html`<line class="grid" x1="${left}" x2="${width}" y1="${y(value)}" y2="${y(value)}" /><text x="${left - 6}" y="${y(value) + 4}" text-anchor="end">${Number.isInteger(value) ? thousands(value) : ""}</text>`)}
      ${days.map(({ x, day }) => html`<line class="day" x1="${x.toFixed(1)}" x2="${x.toFixed(1)}" y1="${top}" y2="${height - bottom + 5}" />${x < width - NOW_ROOM && html`<text x="${(x + 4).toFixed(1)}" y="${height - 5}">${day}</text>`}`)}
      <rect class="this-hour" x="${(width - step).toFixed(1)}" y="${top}" width="${step.toFixed(1)}" height="${height - top - bottom}" />
      <text x="${width}" y="${height - 5}" text-anchor="end">now</text>
      <g class="cols">
        ${hourly.map(({ hour, posted }, i) => posted > 0 && html`<rect x="${(left + i * step + 0.6).toFixed(1)}" y="${y(posted).toFixed(1)}" width="${Math.max(1, step - 1.2).toFixed(1)}" height="${(y(0) - y(posted)).toFixed(1)}"><title data-hour="${hour}" data-posted="${posted}">${minute(hour)} UTC: ${posted}</title></rect>`)}
      </g>
    </svg>
  </div>`;
}

const SPARK = { width: 84, height: 22, gap: 2 } as const;

/** One column per day, today last; the text beside it has the numbers. */
export function sparkline(values: readonly number[]): Html {
  const { width, height, gap } = SPARK;
  const most = Math.max(1, ...values);
  const step = width / Math.max(1, values.length);
  return html`<svg class="spark" viewBox="0 0 ${width} ${height}" aria-hidden="true">
    ${values.map((value, i) => {
      const tall = Math.max(1, (value / most) * height);
      return html`<rect
        class="${i === values.length - 1 ? "today" : "day"}"
        x="${(i * step).toFixed(1)}"
        y="${(height - tall).toFixed(1)}"
        width="${(step - gap).toFixed(1)}"
        height="${tall.toFixed(1)}"
      />`;
    })}
  </svg>`;
}

/** A bar divided into parts, with the icon and number of each below. */
export function shares(
  parts: readonly { readonly name: string; readonly mark: Html; readonly value: number; readonly href: string }[],
): Html {
  const sum = Math.max(
    1,
    parts.reduce((all, { value }) => all + value, 0),
  );
  let x = 0;
  return html`<svg class="shares" viewBox="0 0 1000 20" preserveAspectRatio="none" aria-hidden="true">
      ${parts.map(({ name, value }) => {
        const width = (value / sum) * 1000;
        x += width;
        return (
          value > 0 &&
          html`<rect class="s-${name}" x="${(x - width).toFixed(1)}" width="${Math.max(0, width - 2).toFixed(1)}" height="20" />`
        );
      })}
    </svg>
    <ul class="legend">
      ${parts.map(
        ({ mark, value, href }) =>
          html`<li>
            <a href="${href}">${mark} <b>${thousands(value)}</b></a>
          </li>`,
      )}
    </ul>`;
}
