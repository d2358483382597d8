// Times as a person reads them: how long ago, how long still, and the exact moment beside it.
import { span } from "../core/text/format-duration.ts";
import { html, type Html } from "./html.ts";

export function ago(iso: string, now: number): string {
  const seconds = Math.floor((now - Date.parse(iso)) / 1000);
  return seconds < 5 ? "just now" : `${span(seconds)} ago`;
}

/** Without the parts that nobody reads: `2026-01-31 12:00`. */
export const minute = (iso: string): string => iso.slice(0, 16).replace("T", " ");

/** A moment by its distance; the script keeps it true. */
export const agoTime = (iso: string, now: number): Html => agoMark(iso, ago(iso, now));

export const agoMark = (iso: string, words: string | Html): Html =>
  html`<time datetime="${iso}" data-ago title="${minute(iso)} UTC">${words}</time>`;

export const exactTime = (iso: string): Html => html`<time datetime="${iso}">${minute(iso)} UTC</time>`;
