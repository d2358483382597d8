// Times for people: how long ago, how long left, and the exact time.
import { formatDuration } from "../core/text/format-duration.ts";
import { html, type Html } from "./html.ts";

export function ago(iso: string, now: number): string {
  const seconds = Math.floor((now - Date.parse(iso)) / 1000);
  return seconds < 5 ? "just now" : `${formatDuration(seconds)} ago`;
}

/** Without seconds: `2026-01-31 12:00`. */
export const minute = (iso: string): string => iso.slice(0, 16).replace("T", " ");

/** How long ago; the script keeps it up to date, and adds the exact time in the reader's time zone. */
export const agoTime = (iso: string, now: number): Html => agoMark(iso, ago(iso, now));

export const agoMark = (iso: string, words: string | Html): Html =>
  html`<time datetime="${iso}" data-ago title="${minute(iso)} UTC">${words}</time>`;

/** The year is in the title only: nothing lives longer than a week. */
export const SHORT_TIME: Intl.DateTimeFormatOptions = { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" };
const UTC = new Intl.DateTimeFormat("en-GB", { ...SHORT_TIME, timeZone: "UTC" });

/** The script shows it in the reader's time zone, in the same format, so that the layout hardly moves. */
export const exactTime = (iso: string): Html =>
  html`<time datetime="${iso}" data-local title="${minute(iso)} UTC">${UTC.format(Date.parse(iso))} UTC</time>`;

/** The words for work whose lease has ended. */
export const OPEN_AGAIN = "open again";

/** The remaining time in words and, if the start is known, as a bar. */
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

/** How long something took. */
export const tookTime = (ms: number): string => (ms < 1000 ? "< 1 s" : formatDuration(ms / 1000));

const LAST_DAY_S = 86_400;

/** Says when a message ends, only during its last day. */
export function endingMark(expiresAt: string, now: number): Html | false {
  const left = (Date.parse(expiresAt) - now) / 1000;
  return left < LAST_DAY_S && html`<span class="ending" data-ends="${expiresAt}">gone in ${formatDuration(Math.max(0, left))}</span>`;
}
