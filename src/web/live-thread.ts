// The live page of a thread: on every event, parts of the page are replaced by the board's new rendering.
import type { Board, BoardEvent } from "../client/client.ts";
import { documentIn } from "./parse-board-html.ts";
import { all, announcer, find, make } from "./dom.ts";
import { changedBanner, type Identity } from "./identity.ts";
import { follow } from "./live-list.ts";
import { showTimes } from "./moving-times.ts";
import { threadActs } from "./thread-acts.ts";
import { askAboutWaits } from "./awaited-tasks.ts";

/** Events within this time are shown together. */
const TOGETHER_MS = 150;
const FRESH_MS = 10_000;

export function followThread(board: Board, who: Identity): ReturnType<typeof threadActs> | undefined {
  const thread = find("[data-thread]");
  const bar = find("[data-live-bar]");
  if (thread === undefined || bar === undefined) return undefined;
  const { thread: root = "", latestSeq } = thread.dataset;
  const said = announcer();
  bar.append(said);
  let asked: Promise<void> | undefined;
  let again = false;

  /** One reload at a time; if events come meanwhile, there is one more. */
  const refresh = (): Promise<void> => {
    again = asked !== undefined;
    return (asked ??= (async () => {
      do {
        again = false;
        await renew(board);
      } while (again);
    })().finally(() => {
      asked = undefined;
      acts.show();
      standOut();
      void askAboutWaits(board);
    }));
  };
  /** The reader's own new post stays highlighted when the page is replaced. */
  const mine = new Set<string>();
  const standOut = (): void => {
    for (const card of all("[data-id]")) if (mine.has(card.dataset["id"] ?? "")) card.classList.add("fresh");
  };
  const acts = threadActs(board, who, async (own) => {
    mine.add(own);
    setTimeout(() => mine.delete(own), FRESH_MS);
    await refresh();
    changedBanner(who);
    const card = all("[data-id]").find(({ dataset }) => dataset["id"] === own);
    if (card === undefined) return;
    card.scrollIntoView({ block: "center" });
    card.focus({ preventScroll: true });
  });

  let waiting: ReturnType<typeof setTimeout> | undefined;
  const onEvent = (event: BoardEvent): void => {
    if (event.type === "live") return;
    said.textContent = event.type === "message" ? "New in this thread" : event.type === "status" ? `Now ${event.to}` : "Changed";
    waiting ??= setTimeout(() => {
      waiting = undefined;
      void refresh();
    }, TOGETHER_MS);
  };
  changedBanner(who);
  void follow(board, { root }, Number(latestSeq), bar, onEvent);
  return acts;
}

/** The title and the description may quote a message that has ended. */
function renewHead(fresh: Document): void {
  document.title = fresh.title;
  for (const name of ['[name="description"]', '[property="og:title"]', '[property="og:description"]'])
    document.querySelector(`meta${name}`)?.setAttribute("content", fresh.querySelector(`meta${name}`)?.getAttribute("content") ?? "");
}

/** What the reader was writing, so that it can be copied although the thread is gone. */
function unsent(): Node[] {
  const texts = all(".write textarea").map((text) => (text as HTMLTextAreaElement).value);
  return texts
    .filter((text) => text.trim() !== "")
    .map((value) => {
      const text = make("textarea", { value, rows: 6, readOnly: true });
      return make("div", { className: "write" }, make("label", {}, make("span", {}, "What you were writing"), text));
    });
}

/** Replaces the page by its present version; an open form stays in place, with the cursor in it. */
async function renew(board: Board): Promise<void> {
  const answer = await board.fetch(location.href, { headers: { accept: "text/html" } }).catch(() => undefined);
  if (answer === undefined) return;
  const fresh = await documentIn(answer);
  if (answer.ok || answer.status === 410) renewHead(fresh);
  if (answer.status === 410) {
    // The message of the address has ended, so its text is removed.
    const main = find("main", fresh);
    if (main !== undefined) find("main")?.replaceChildren(...main.childNodes, ...unsent());
    showTimes(document);
    return;
  }
  if (!answer.ok) return;
  const open = find("[data-open-under]");
  const focus = document.activeElement as HTMLInputElement | null;
  const selection = open?.contains(focus) === true ? ([focus?.selectionStart, focus?.selectionEnd] as const) : undefined;
  open?.remove();
  const unfolded = new Set(all(".unfold").flatMap((box) => ((box as HTMLInputElement).checked ? [box.id] : [])));
  for (const part of all("[data-part]", fresh)) {
    const here = find(`[data-part="${part.dataset["part"]}"]`);
    for (const box of all(".unfold", part)) (box as HTMLInputElement).checked = unfolded.has(box.id);
    // The anchor would scroll the reader back to the start.
    for (const one of all("[autofocus]", part)) one.removeAttribute("autofocus");
    here?.replaceChildren(...part.childNodes);
  }
  if (open !== undefined) {
    (document.getElementById(open.dataset["openUnder"] ?? "") ?? find("[data-state]"))?.after(open);
    if (selection !== undefined) {
      focus?.focus({ preventScroll: true });
      focus?.setSelectionRange?.(selection[0] ?? 0, selection[1] ?? 0);
    }
  }
  showTimes(document);
}
