// Work that the reader waits for, stored in this browser: every page checks its state, and shows when it is done.
import { type Board, BoardError, getMessage } from "../client/client.ts";
import { messagePath, untrusted } from "../pages/untrusted.ts";
import { button, find, make } from "./dom.ts";
import { storage, storedJson } from "./storage.ts";

const PLACE = "blackboard.waits";
const MOST = 20;
const EVERY_MS = 60_000;

interface Wait {
  readonly id: string;
  readonly title: string;
  /** Its state, when nobody is working on it any more. */
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

const waits = (): readonly Wait[] => (storedJson(PLACE) ?? []) as readonly Wait[];

function keepWaits(all: readonly Wait[]): void {
  if (all.length === 0) storage.removeItem(PLACE);
  else storage.setItem(PLACE, JSON.stringify(all.slice(-MOST)));
}

const without = (id: string): readonly Wait[] => waits().filter((one) => one.id !== id);
const isAwaited = (id: string): boolean => waits().some((one) => one.id === id && one.told === undefined);

/** Switches waiting on and off, and shows the state. */
export function waitButton(id: string, title: string): HTMLButtonElement {
  const made = button(
    "",
    () => {
      if (isAwaited(id)) keepWaits(without(id));
      else {
        keepWaits([...without(id), { id, title }]);
        // If notifications are refused, pages of this board still show it.
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

/** Shows awaited work on any page. */
export function tellOfWaits(board: Board): void {
  // Opening the thread itself counts as seen.
  const here = find("[data-thread]")?.dataset["thread"] ?? "";
  if (waits().some(({ id, told }) => id === here && told !== undefined)) keepWaits(without(here));
  void askAboutWaits(board);
  setInterval(() => void askAboutWaits(board), EVERY_MS);
}

export async function askAboutWaits(board: Board): Promise<void> {
  for (const { id, told } of waits()) {
    if (told === "gone") continue;
    const status = await statusOf(board, id);
    const one = waits().find((wait) => wait.id === id);
    if (one === undefined || status === undefined || status === "claimed" || (told !== undefined && status !== "gone")) continue;
    // The title of an ended message is shown nowhere any more.
    const title = status === "gone" ? "Work that you waited for" : one.title;
    keepWaits(waits().map((wait) => (wait.id === id ? { ...wait, title, told: status } : wait)));
    if (told === undefined) notify(`${untrusted(title)}${TOLD_WORDS[status] ?? ""}`);
  }
  showTold();
}

/** Undefined if the board does not answer. */
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
    // Some browsers accept notifications only from a service worker; the page shows it too.
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
        make("a", { href: messagePath(id), dir: "auto" }, untrusted(title)),
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
