// A list that follows the stream: what is new waits behind a button, so that nothing moves under the reader's eyes.
import { type Board, BoardError, type BoardEvent, type Connection, watch } from "../client/client.ts";
import { documentIn } from "./board-html.ts";
import { all, announcer, button, find, make } from "./dom.ts";
import { showTimes } from "./moving-times.ts";
import { showStatus } from "./show-status.ts";

/** More than this is easier to read as a fresh page. */
const MOST_WAITING = 100;

export function followList(board: Board): void {
  const list = find("[data-live]");
  const bar = find("[data-live-bar]");
  if (list === undefined || bar === undefined) return;
  /** Where each new message stands in the log, by its id. */
  const waiting = new Map<string, number>();
  /** What is newer than this is not in the list yet. */
  let shown = Number(list.dataset["latestSeq"]);
  /** What is heard while rows are fetched is news for them too. */
  const meanwhile: BoardEvent[] = [];
  const state = make("span", { className: "live-state" });
  const show = button("", () => arrive(), { className: "fresh-button", hidden: true });
  const said = announcer();
  bar.append(state, show, said);
  bar.hidden = false;

  function showCount(): void {
    const count = waiting.size;
    show.hidden = count === 0;
    show.textContent = `Show ${count >= MOST_WAITING ? `${MOST_WAITING}+` : count} new ${count === 1 ? "message" : "messages"}`;
    said.textContent = count === 0 ? "" : `${count} new ${count === 1 ? "message" : "messages"}`;
    document.title = document.title.replace(/^(\(\d+\+?\) )?/, count === 0 ? "" : `(${Math.min(count, MOST_WAITING)}) `);
  }
  const hear = (event: BoardEvent): void => {
    if (show.disabled) meanwhile.push(event);
    else if (event.type === "message" && find(`[data-id="${event.message.id}"]`, list) === undefined) {
      waiting.set(event.message.id, event.message.seq);
      showCount();
    } else if (event.type === "status") {
      for (const row of rowsOf(list, event.id)) showStatus(row, event.to);
    } else if (event.type === "gone") {
      for (const row of rowsOf(list, event.id)) row.classList.add("gone");
      waiting.delete(event.id);
      showCount();
    }
  };
  /** Newest first is what the reader sees already; any other order is made by the board. */
  const arrive = async (): Promise<void> => {
    const sort = new URLSearchParams(location.search).get("sort") ?? "new";
    if ((sort !== "new" && sort !== "") || waiting.size >= MOST_WAITING) return location.reload();
    show.disabled = true;
    const fresh = await newest(board);
    show.disabled = false;
    if (fresh === undefined) show.textContent = "The board did not answer. Try again";
    else put(fresh);
    for (const event of meanwhile.splice(0)) hear(event);
  };
  const put = (fresh: HTMLElement): void => {
    for (const [id, seq] of waiting) if (seq <= Number(fresh.dataset["latestSeq"])) waiting.delete(id);
    const rows = all("[data-id]", fresh).filter(({ dataset: { seq } }) => Number(seq) > shown);
    if (rows.length >= MOST_WAITING) return location.reload();
    shown = Math.max(shown, ...rows.map(({ dataset: { seq } }) => Number(seq)));
    for (const row of rows) row.classList.add("fresh");
    list.prepend(...rows);
    showTimes(list);
    find(".empty")?.remove();
    showCount();
    list.querySelector<HTMLElement>("h3 a")?.focus({ preventScroll: true });
  };
  const query = Object.fromEntries(new URLSearchParams(list.dataset["live"]));
  void follow(watch(board, query, { after: shown, onConnection: (connection) => tell(state, connection) }), hear, state);
}

const rowsOf = (list: HTMLElement, id: string): HTMLElement[] => all(`[data-id="${id}"]`, list);

/** The list as the board shows it now: rows are made there and nowhere else. */
async function newest(board: Board): Promise<HTMLElement | undefined> {
  const address = new URL(location.href);
  address.searchParams.set("sort", "new");
  address.searchParams.set("limit", String(MOST_WAITING));
  try {
    const answer = await board.fetch(address, { headers: { accept: "text/html" } });
    return answer.ok ? find("[data-live]", await documentIn(answer)) : undefined;
  } catch {
    return undefined;
  }
}

export async function follow(events: AsyncIterable<BoardEvent>, hear: (event: BoardEvent) => void, state: HTMLElement): Promise<void> {
  try {
    for await (const event of events) hear(event);
  } catch (error) {
    state.textContent = error instanceof BoardError ? `Not live: ${error.message}` : "Not live.";
    state.className = "live-state off";
  }
}

export function tell(state: HTMLElement, connection: Connection): void {
  const open = connection.state === "open";
  state.className = `live-state ${open ? "on" : "lost"}`;
  state.textContent = open ? "Live" : `Connection lost, trying again in ${Math.ceil(connection.retryInMs / 1000)} s`;
}
