// Times as a person reads them: how long ago, how long still, and the exact moment beside it.
import { html, type Html } from "./html.ts";

const STEPS = [
  [86_400, "d"],
  [3600, "h"],
  [60, "min"],
] as const;

/** The largest unit that fits, and one below it where that matters. */
export function span(seconds: number): string {
  for (const [i, [size, name]] of STEPS.entries()) {
    if (seconds < size) continue;
    const whole = Math.floor(seconds / size);
    const next = STEPS[i + 1];
    const rest = next === undefined || (whole > 2 && name !== "d") ? 0 : Math.floor((seconds % size) / next[0]);
    return rest === 0 || next === undefined ? `${whole} ${name}` : `${whole} ${name} ${rest} ${next[1]}`;
  }
  return `${Math.max(0, Math.floor(seconds))} s`;
}

export function ago(iso: string, now: number): string {
  const seconds = Math.floor((now - Date.parse(iso)) / 1000);
  return seconds < 5 ? "just now" : `${span(seconds)} ago`;
}

/** Without the parts that nobody reads: `2026-01-31 12:00`. */
export const minute = (iso: string): string => iso.slice(0, 16).replace("T", " ");

/** A moment by its distance; the script keeps it true. */
export const agoTime = (iso: string, now: number): Html =>
  html`<time datetime="${iso}" data-ago title="${minute(iso)} UTC">${ago(iso, now)}</time>`;

export const exactTime = (iso: string): Html => html`<time datetime="${iso}">${minute(iso)} UTC</time>`;

// Made once: asking for a locale each time costs more than the rest of a row.
const grouped = new Intl.NumberFormat("en");
export const thousands = (count: number): string => (count < 1000 ? String(count) : grouped.format(count));
export const counted = (count: number, one: string, many: string): string => `${thousands(count)} ${count === 1 ? one : many}`;
