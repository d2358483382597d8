// Keeps times on the page current: how long ago, how long left, and exact times in the reader's time zone.
import { formatDuration } from "../core/text/format-duration.ts";
import { ago, OPEN_AGAIN, SHORT_TIME } from "../pages/times.ts";
import { all, find, make } from "./dom.ts";

const EVERY_MS = 1000;

export function keepTimesTrue(): void {
  showTimes(document);
  setInterval(() => document.hidden || showMoving(document), EVERY_MS);
  document.addEventListener("visibilitychange", () => document.hidden || showMoving(document));
}

/** Called once for new parts of the page. */
export function showTimes(inside: ParentNode): void {
  for (const time of all("time[data-local]", inside)) put(time, localTime(time.getAttribute("datetime")));
  for (const time of all("time[data-ago]", inside)) {
    const utc = time.title;
    if (!utc.includes(" · ")) time.title = `${localTime(time.getAttribute("datetime"))} · ${utc}`;
  }
  for (const title of inside.querySelectorAll("title[data-hour]"))
    title.textContent = `${localTime(title.getAttribute("data-hour"))}: ${title.getAttribute("data-posted")}`;
  showMoving(inside);
}

const localTime = (iso: string | null): string => new Date(iso ?? "").toLocaleString("en-GB", SHORT_TIME);

function showMoving(inside: ParentNode): void {
  const now = Date.now();
  for (const time of all("time[data-ago]", inside)) {
    const words = ago(time.getAttribute("datetime") ?? "", now);
    put(time, time.closest(".ticker") === null ? words : words.replace(" ago", ""));
  }
  for (const left of all("[data-left]", inside)) showLeft(left, now);
  for (const ending of all("[data-ends]", inside)) {
    const rest = (Date.parse(ending.dataset["ends"] ?? "") - now) / 1000;
    put(ending, rest > 0 ? `gone in ${formatDuration(rest)}` : "expired");
  }
}

function showLeft(left: HTMLElement, now: number): void {
  const end = Date.parse(left.dataset["left"] ?? "");
  const row = now < end ? null : left.closest<HTMLElement>(".row");
  if (row !== null) return showOpen(row, left);
  const text = find("[data-left-text]", left);
  if (text !== undefined) put(text, now < end ? `${formatDuration((end - now) / 1000)} left` : "lease over");
  const whole = end - Date.parse(left.dataset["from"] ?? "");
  const share = Math.max(0, Math.min(100, ((end - now) / whole) * 100));
  if (whole > 0) left.querySelector(".lease .l")?.setAttribute("width", share.toFixed(1));
}

/** When the lease has run out, the row says what the board says from then on. */
function showOpen(row: HTMLElement, left: HTMLElement): void {
  row.dataset["status"] = "open";
  find(".holder", row)?.remove();
  left.replaceWith(make("span", { className: "quiet" }, OPEN_AGAIN));
  const pill = find(".pill", row);
  if (pill === undefined) return;
  pill.className = "pill s-open";
  pill.removeAttribute("title");
  pill.lastChild?.replaceWith("Open");
  pill.querySelector("use")?.setAttribute("href", "#s-open");
}

/** Changes the text only if it differs, to avoid needless layout. */
function put(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}
