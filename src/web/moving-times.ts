// Times that stay true while somebody looks: how long ago, how long still, and the line that burns down.
import { span } from "../core/text/format-duration.ts";
import { ago } from "../pages/moments.ts";
import { all, find } from "./dom.ts";

const EVERY_MS = 1000;

export function keepTimesTrue(): void {
  setInterval(() => document.hidden || showTimes(document), EVERY_MS);
  document.addEventListener("visibilitychange", () => document.hidden || showTimes(document));
}

export function showTimes(inside: ParentNode): void {
  const now = Date.now();
  for (const time of all("time[data-ago]", inside)) put(time, ago(time.getAttribute("datetime") ?? "", now));
  for (const left of all("[data-left]", inside)) showLeft(left, now);
}

function showLeft(left: HTMLElement, now: number): void {
  const end = Date.parse(left.dataset["left"] ?? "");
  const whole = end - Date.parse(left.dataset["from"] ?? "");
  const text = find("[data-left-text]", left);
  if (text !== undefined) put(text, now < end ? `${span((end - now) / 1000)} left` : "expired");
  const share = Math.max(0, Math.min(100, ((end - now) / whole) * 100));
  left.querySelector(".fuse .l")?.setAttribute("width", share.toFixed(1));
}

/** Only where it changes, so that nothing is laid out anew for nothing. */
function put(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}
