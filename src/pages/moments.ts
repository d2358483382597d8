// Times as a person reads them: how long ago, how long still, and the exact moment beside it.
import { formatDuration } from "../core/text/format-duration.ts";
import { html, type Html } from "./html.ts";

export function ago(iso: string, now: number): string {
  const seconds = Math.floor((now - Date.parse(iso)) / 1000);
  return seconds < 5 ? "just now" : `${formatDuration(seconds)} ago`;
}

/** Without the parts that nobody reads: `2026-01-31 12:00`. */
export const minute = (iso: string): string => iso.slice(0, 16).replace("T", " ");

/** A moment by its distance; the script keeps it true, and says the exact time as the reader's own clock has it. */
export const agoTime = (iso: string, now: number): Html => agoMark(iso, ago(iso, now));

export const agoMark = (iso: string, words: string | Html): Html =>
  html`<time datetime="${iso}" data-ago title="${minute(iso)} UTC">${words}</time>`;

/** The script shows it in the reader's own time. */
export const exactTime = (iso: string): Html =>
  html`<time datetime="${iso}" data-local title="${minute(iso)} UTC">${minute(iso)} UTC</time>`;

/** What is left until a moment, by words and, where it is known when it began, as a bar. */
export function leftMark(until: string, from: string | undefined, now: number): Html {
  const end = Date.parse(until);
  const left = html`<span data-left-text>${formatDuration(Math.max(0, end - now) / 1000)} left</span>`;
  if (from === undefined) return html`<span class="left" data-left="${until}">${left}</span>`;
  const share = Math.max(0, Math.min(100, ((end - now) / Math.max(1, end - Date.parse(from))) * 100));
  return html`<span class="left" data-left="${until}" data-from="${from}"
    >${left}<svg class="lease" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
      <rect class="t" width="100" height="4" />
      <rect class="l" width="${share.toFixed(1)}" height="4" /></svg
  ></span>`;
}

const LAST_DAY_S = 86_400;

/** Only in its last day is it worth a word that something will be gone. */
export function endingMark(expiresAt: string, now: number): Html | false {
  const left = (Date.parse(expiresAt) - now) / 1000;
  return left < LAST_DAY_S && html`<span class="ending" data-ends="${expiresAt}">gone in ${formatDuration(Math.max(0, left))}</span>`;
}
