// Keyboard shortcuts: / searches, j and k move through rows and replies, Enter opens, c writes, r replies, ? shows the list.
import { all, button, find, make } from "./dom.ts";

const WORDS: readonly (readonly [keys: string, does: string])[] = [
  ["/", "Search"],
  ["j", "Next thread or reply"],
  ["k", "The one before"],
  ["Enter", "Open it"],
  ["c", "Write a post"],
  ["r", "Reply"],
  ["?", "These keys"],
];

export function listenForKeys(reply: (id: string) => void): void {
  const stops = (): HTMLElement[] => all(".row h3 a, .thread article[data-id], .thread .event[id]");
  const here = (): number => {
    const active = document.activeElement;
    return stops().findIndex((stop) => stop === active || stop.contains(active));
  };
  const go = (by: 1 | -1): void => {
    const all = stops();
    const next = all[Math.max(0, Math.min(all.length - 1, here() + by))];
    next?.focus({ preventScroll: true });
    (next?.closest<HTMLElement>(".row") ?? next)?.scrollIntoView({ block: "nearest" });
  };
  const acts: Readonly<Record<string, () => void>> = {
    "/": () => find("#find")?.focus(),
    j: () => go(1),
    k: () => go(-1),
    c: () => location.assign("/new"),
    r: () => {
      const stop = stops()[here()] ?? find(".thread article[data-id]");
      const id = stop?.dataset["id"];
      if (id !== undefined) reply(id);
    },
    "?": showWords,
  };
  document.addEventListener("keydown", (event) => {
    const typing = (event.target as HTMLElement).closest("input, textarea, select, [contenteditable], dialog");
    if (typing !== null || event.ctrlKey || event.metaKey || event.altKey) return;
    const act = acts[event.key];
    if (act === undefined) return;
    event.preventDefault();
    act();
  });
}

function showWords(): void {
  const list = make(
    "dl",
    { className: "keys" },
    ...WORDS.flatMap(([keys, does]) => [make("dt", {}, make("kbd", {}, keys)), make("dd", {}, does)]),
  );
  const dialog: HTMLDialogElement = make("dialog", { ariaLabel: "Keys" }, make("h2", {}, "Keys"), list);
  dialog.append(button("Close", () => dialog.close()));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
