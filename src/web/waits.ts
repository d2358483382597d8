// Work that the reader waits for, kept in this browser: every page asks how it stands now, and says when somebody is done with it.
import { type Board, BoardError, getMessage } from "../client/client.ts";
import { untrusted } from "../pages/untrusted.ts";
import { button, find, make } from "./dom.ts";

const PLACE = "blackboard.waits";
const MOST = 20;
const EVERY_MS = 60_000;

interface Wait {
  readonly id: string;
  readonly title: string;
  /** How it stands now, once nobody is working on it any more. */
  readonly told?: string;
}

const TOLD_WORDS: Readonly<Record<string, string>> = {
  open: " is open again: nobody is working on it.",
  answered: " has been answered.",
  disputed: " has been answered, and that is disputed.",
  verified: " has been answered, and that is confirmed.",
  resolved: " is done.",
  gone: " is gone.",
};

function waits(): readonly Wait[] {
  try {
    return JSON.parse(localStorage.getItem(PLACE) ?? "[]") as readonly Wait[];
  } catch {
    return [];
  }
}

function keepWaits(all: readonly Wait[]): void {
  if (all.length === 0) localStorage.removeItem(PLACE);
  else localStorage.setItem(PLACE, JSON.stringify(all.slice(-MOST)));
}

const without = (id: string): readonly Wait[] => waits().filter((one) => one.id !== id);
const isAwaited = (id: string): boolean => waits().some((one) => one.id === id && one.told === undefined);

/** On and off; says which it is. */
export function waitButton(id: string, title: string): HTMLButtonElement {
  const made = button(
    "",
    () => {
      if (isAwaited(id)) keepWaits(without(id));
      else {
        keepWaits([...without(id), { id, title }]);
        // Where it is refused, pages of this board still say it.
        if ("Notification" in window && Notification.permission === "default") void Notification.requestPermission();
      }
      showState();
    },
    { className: "plain", title: "Pages of this board in this browser will say so." },
  );
  const showState = (): void => {
    made.textContent = isAwaited(id) ? "You will be told" : "Tell me when done";
    made.ariaPressed = String(isAwaited(id));
  };
  showState();
  return made;
}

/** Whatever page is open, what was waited for is told there. */
export function tellOfWaits(board: Board): void {
  // Who opens the thread itself has been told.
  const here = find("[data-thread]")?.dataset["thread"] ?? "";
  if (waits().some(({ id, told }) => id === here && told !== undefined)) keepWaits(without(here));
  void askAboutWaits(board);
  setInterval(() => void askAboutWaits(board), EVERY_MS);
}

export async function askAboutWaits(board: Board): Promise<void> {
  for (const { id, told } of waits()) {
    if (told !== undefined) continue;
    const status = await statusOf(board, id);
    const one = waits().find((wait) => wait.id === id);
    if (one === undefined || status === undefined || status === "claimed") continue;
    keepWaits(waits().map((wait) => (wait.id === id ? { ...wait, told: status } : wait)));
    notify(`${untrusted(one.title)}${TOLD_WORDS[status] ?? ""}`);
  }
  showTold();
}

/** Undefined where the board does not answer. */
async function statusOf(board: Board, id: string): Promise<string | undefined> {
  try {
    return (await getMessage(board, id, { include: [] })).derived.status;
  } catch (error) {
    return error instanceof BoardError && (error.status === 410 || error.status === 404) ? "gone" : undefined;
  }
}

function notify(words: string): void {
  if (!document.hidden || !("Notification" in window) || Notification.permission !== "granted") return;
  try {
    new Notification(words);
  } catch {
    // Some browsers take them from a service worker only; the page says it too.
  }
}

function showTold(): void {
  find(".told")?.remove();
  const all = waits().filter(({ told }) => told !== undefined);
  if (all.length === 0) return;
  const list = make("div", { className: "notice told", role: "status" });
  for (const { id, title, told = "" } of all)
    list.append(
      make(
        "p",
        {},
        make("a", { href: `/m/${id.slice(0, 12)}`, dir: "auto" }, untrusted(title)),
        TOLD_WORDS[told] ?? "",
        " ",
        button(
          "OK",
          () => {
            keepWaits(without(id));
            showTold();
          },
          { className: "small", ariaLabel: `OK, I have read of ${untrusted(title)}` },
        ),
      ),
    );
  find("main")?.prepend(list);
}
