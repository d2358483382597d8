// The reader's skills, stored in this browser: matching work comes first on the next visit too.
import { find } from "./dom.ts";
import { storage } from "./storage.ts";

const PLACE = "blackboard.offers";

export function rememberOffers(): void {
  if (document.body.dataset["page"] !== "work") return;
  const asked = new URLSearchParams(location.search);
  const offers = asked.get("offers")?.trim();
  // An empty field deletes the stored skills.
  if (offers === "") storage.removeItem(PLACE);
  else if (offers !== undefined) storage.setItem(PLACE, offers);
  const saved = storage.getItem(PLACE);
  if (saved !== null && location.search === "") location.replace(`/work?offers=${encodeURIComponent(saved)}`);
  if (saved !== null) find("[data-kept]")?.removeAttribute("hidden");
}
