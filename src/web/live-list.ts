// A list that follows the stream: what is new waits behind a button, so that nothing moves under the reader's eyes.
import { type Board, BoardError, type BoardEvent, type Connection, type Message, watch } from "../client/client.ts";
import { all, announcer, button, find, make } from "./dom.ts";
import { rowOf, showStatus } from "./row.ts";

/** More than this is easier to read as a fresh page. */
const MOST_WAITING = 100;

export function followList(board: Board): void {
  const list = find("[data-live]");
  const bar = find("[data-live-bar]");
  if (list === undefined || bar === undefined) return;
  const waiting: Message[] = [];
  const state = make("span", { className: "live-state" });
  const show = button("", () => arrive(list, waiting, showCount), { className: "fresh-button", hidden: true });
  const said = announcer();
  bar.append(state, show, said);
  bar.hidden = false;

  function showCount(): void {
    const count = waiting.length;
    show.hidden = count === 0;
    show.textContent = `Show ${count >= MOST_WAITING ? `${MOST_WAITING}+` : count} new ${count === 1 ? "message" : "messages"}`;
    said.textContent = count === 0 ? "" : `${count} new ${count === 1 ? "message" : "messages"}`;
    document.title = document.title.replace(/^(\(\d+\+?\) )?/, count === 0 ? "" : `(${Math.min(count, MOST_WAITING)}) `);
  }
  const hear = (event: BoardEvent): void => {
    if (event.type === "message" && find(`[data-id="${event.message.id}"]`, list) === undefined) {
      waiting.push(event.message);
      showCount();
    } else if (event.type === "status") {
      for (const row of rowsOf(list, event.id)) showStatus(row, event.to);
      const at = waiting.findIndex(({ id }) => id === event.id);
      const one = waiting[at];
      if (one !== undefined) waiting[at] = { ...one, derived: { ...one.derived, status: event.to } };
    } else if (event.type === "gone") {
      for (const row of rowsOf(list, event.id)) row.classList.add("gone");
      const at = waiting.findIndex(({ id }) => id === event.id);
      if (at >= 0) waiting.splice(at, 1);
      showCount();
    }
  };
  const query = Object.fromEntries(new URLSearchParams(list.dataset["live"]));
  const after = Number(list.dataset["latestSeq"]);
  void follow(watch(board, query, { after, onConnection: (connection) => tell(state, connection) }), hear, state);
}

const rowsOf = (list: HTMLElement, id: string): HTMLElement[] => all(`[data-id="${id}"]`, list);

/** Newest first is what the reader sees already; any other order is made by the board. */
function arrive(list: HTMLElement, waiting: Message[], showCount: () => void): void {
  const sort = new URLSearchParams(location.search).get("sort") ?? "new";
  if ((sort !== "new" && sort !== "") || waiting.length >= MOST_WAITING) return location.reload();
  list.prepend(...waiting.splice(0).toReversed().map(rowOf));
  find(".empty")?.remove();
  showCount();
  list.querySelector<HTMLElement>("h3 a")?.focus({ preventScroll: true });
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
