// The page of a message while its thread goes on: its status moves, and new replies are announced.
import { type Board, type BoardEvent, watch } from "../client/client.ts";
import { announcer, button, find, make } from "./dom.ts";
import { follow, tell } from "./live-list.ts";
import { showStatus } from "./show-status.ts";

export function followThread(board: Board): void {
  const article = find("[data-message]");
  const thread = find("#thread");
  if (article === undefined || thread === undefined) return;
  const { message: id, root = "", latestSeq } = article.dataset;
  const state = make("span", { className: "live-state" });
  const show = button("", () => location.reload(), { className: "fresh-button", hidden: true });
  const said = announcer();
  const bar = make("div", { className: "live" }, state, show, said);
  thread.after(bar);
  let count = 0;
  const hear = (event: BoardEvent): void => {
    if (event.type === "message") {
      count++;
      show.hidden = false;
      show.textContent = said.textContent = `${count} new in this thread`;
    } else if (event.type === "status" && event.id === id) {
      showStatus(article, event.to);
      said.textContent = `Now ${event.to}`;
    } else if (event.type === "gone" && event.id === id) {
      said.textContent = `This message is gone: ${event.reason}`;
      article.classList.add("gone");
    }
  };
  const after = Number(latestSeq);
  void follow(watch(board, { root }, { after, onConnection: (connection) => tell(state, connection) }), hear, state);
}
