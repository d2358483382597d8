// A live list: new rows wait behind a button, so that nothing moves while the reader reads.
import { type Board, BoardError, type BoardEvent, type Connection, watch } from "../client/client.ts";
import { messagePath } from "../pages/untrusted.ts";
import { askAboutWaits } from "./awaited-tasks.ts";
import { documentIn } from "./parse-board-html.ts";
import { all, announcer, button, find, make } from "./dom.ts";
import { showTimes } from "./moving-times.ts";

/** Messages that end within this time are handled together. */
const TOGETHER_MS = 150;
/** More than this is not counted. */
const MOST_WAITING = 100;

export function followList(board: Board): void {
  const list = find("[data-live]");
  const bar = find("[data-live-bar]");
  if (list === undefined || bar === undefined) return;
  const threads = list.dataset["threads"] !== undefined;
  /** Messages or threads with news, each with its newest log entry. */
  const waiting = new Map<string, number>();
  let shown = Number(list.dataset["latestSeq"]);
  const show = button("", () => arrive(), { className: "fresh-button", hidden: true });
  const said = announcer();
  bar.append(said);
  list.before(show);

  function showCount(): void {
    const count = waiting.size;
    const many = count >= MOST_WAITING ? `${MOST_WAITING}+` : String(count);
    const words = threads
      ? `${many} ${count === 1 ? "thread has" : "threads have"} news`
      : `Show ${many} new ${count === 1 ? "message" : "messages"}`;
    show.hidden = count === 0;
    show.textContent = words;
    said.textContent = count === 0 ? "" : words;
    document.title = document.title.replace(/^(\(\d+\+?\) )?/, count === 0 ? "" : `(${many}) `);
  }
  const onEvent = (event: BoardEvent): void => {
    if (event.type === "message") {
      const { id, seq, derived } = event.message;
      if (seq <= shown) return;
      waiting.set(threads ? derived.root : id, seq);
      showCount();
    } else if (event.type === "status") {
      if (threads && rowsOf(event.id).length > 0) {
        waiting.set(event.id, event.seq);
        showCount();
      } else void renewRow(event.id);
    } else if (event.type === "gone") {
      for (const row of rowsOf(event.id)) row.classList.add("gone");
      eraseEnded(event.id);
      renewal ??= setTimeout(() => {
        renewal = undefined;
        void newestPage(board).then(renewParts);
        void askAboutWaits(board);
      }, TOGETHER_MS);
      if (!threads) waiting.delete(event.id);
      showCount();
    }
  };
  let renewal: ReturnType<typeof setTimeout> | undefined;
  const rowsOf = (id: string): HTMLElement[] => all(`[data-id="${id}"]`, list);
  /** Rows are rendered by the board only. */
  const renewRow = async (id: string): Promise<void> => {
    if (rowsOf(id).length === 0) return;
    const page = await newestPage(board);
    const row = page && find(`[data-live] [data-id="${id}"]`, page);
    if (row !== undefined) for (const old of rowsOf(id)) old.replaceWith(row);
  };
  const arrive = async (): Promise<void> => {
    show.disabled = true;
    const page = await newestPage(board);
    const fresh = page && find("[data-live]", page);
    show.disabled = false;
    if (page === undefined || fresh === undefined) return void (show.textContent = "The board did not answer. Try again");
    const at = Number(fresh.dataset["latestSeq"]);
    const moved = new Set([...waiting].filter(([, seq]) => seq <= at).map(([id]) => id));
    for (const id of moved) waiting.delete(id);
    for (const row of all("[data-id]", fresh))
      if (moved.has((threads ? row.dataset["root"] : row.dataset["id"]) ?? "")) row.classList.add("fresh");
    shown = Math.max(shown, at);
    list.replaceChildren(...fresh.childNodes);
    showTimes(list);
    // The counts of the tabs, and what happened last.
    renewParts(page);
    find(".empty")?.remove();
    showCount();
    list.querySelector<HTMLElement>("h3 a")?.focus({ preventScroll: true });
  };
  const query = Object.fromEntries(new URLSearchParams(list.dataset["live"]));
  void follow(board, query, shown, bar, onEvent);
}

/** Removes the text of an ended message from its row and from rows of its replies. */
function eraseEnded(id: string): void {
  for (const words of all(`[data-id="${id}"] :is(p.said, .tags)`)) words.textContent = "";
  for (const link of all(`main a[href="${messagePath(id)}"]`)) link.textContent = "Withdrawn or expired";
}

/** The page as the board shows it now. */
async function newestPage(board: Board): Promise<Document | undefined> {
  try {
    const answer = await board.fetch(location.href, { headers: { accept: "text/html" } });
    return answer.ok ? await documentIn(answer) : undefined;
  } catch {
    return undefined;
  }
}

/** Replaces the parts of the page beside the list, because they may count or quote an ended message. */
function renewParts(fresh: Document | undefined): void {
  for (const part of fresh === undefined ? [] : all("[data-part]", fresh)) {
    const here = find(`[data-part="${part.dataset["part"]}"]`);
    here?.replaceChildren(...part.childNodes);
    if (here !== undefined) showTimes(here);
  }
}

/** Calls for every event after that entry, and says in the bar whether they still come. */
export async function follow(
  board: Board,
  query: Readonly<Record<string, string>>,
  after: number,
  bar: HTMLElement,
  onEvent: (event: BoardEvent) => void,
): Promise<void> {
  const state = make("span", { className: "live-state" });
  bar.prepend(state);
  const onConnection = (connection: Connection): void => {
    const open = connection.state === "open";
    state.className = `live-state ${open ? "on" : "lost"}`;
    state.textContent = open ? "Live" : `Connection lost, trying again in ${Math.ceil(connection.retryInMs / 1000)} s`;
  };
  try {
    for await (const event of watch(board, query, { after, onConnection })) onEvent(event);
  } catch (error) {
    state.textContent = error instanceof BoardError ? `Not live: ${error.message}` : "Not live.";
    state.className = "live-state off";
  }
}
