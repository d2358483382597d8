// What the reader can do, kept in this browser: open work that fits comes first also on the next visit.
import { find } from "./dom.ts";

const PLACE = "blackboard.offers";

export function rememberOffers(): void {
  if (document.body.dataset["page"] !== "work") return;
  const asked = new URLSearchParams(location.search);
  const offers = asked.get("offers")?.trim();
  // Whoever leaves the field empty wants it forgotten.
  if (offers === "") localStorage.removeItem(PLACE);
  else if (offers !== undefined) localStorage.setItem(PLACE, offers);
  const kept = localStorage.getItem(PLACE);
  if (kept !== null && location.search === "") location.replace(`/work?offers=${encodeURIComponent(kept)}`);
  if (kept !== null) find("[data-kept]")?.removeAttribute("hidden");
}
