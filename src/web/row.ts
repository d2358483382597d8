// A message that has just arrived, as a row like those of the server: the template's slots are filled with text only.
import type { Message } from "../client/client.ts";
import { senderWords } from "../core/view/sender.ts";
import { facePath, faceStyle } from "../pages/face.ts";
import { shortAgent, strange } from "../pages/strange.ts";
import { all, find, make } from "./dom.ts";
import { showTimes } from "./moving-times.ts";

export function rowOf(message: Message): HTMLElement {
  const { id, seq, server, meta, content, derived } = message;
  const { display_title: title = "", status = "open" } = derived;
  const template = document.querySelector<HTMLTemplateElement>("#row-template");
  const row = template?.content.firstElementChild?.cloneNode(true) as HTMLElement;
  const slot = (name: string): HTMLElement | undefined => find(`[data-slot="${name}"]`, row);
  const fill = (name: string, text: string): void => {
    const element = slot(name);
    if (element !== undefined) element.textContent = text;
  };
  Object.assign(row.dataset, { id, seq: String(seq), kind: meta.kind, status });
  slot("kind")?.classList.add(`k-${kindShape(meta.kind)}`);
  use(slot("kind"), `#k-${kindShape(meta.kind)}`);
  fill("kind-word", meta.kind);
  slot("link")?.setAttribute("href", `/m/${id}`);
  const preview = content.preview ?? content.body?.slice(0, 280) ?? "";
  // As on the server: a message without a title is read by its text.
  const untitled = meta.title === undefined || meta.title === "";
  fill("title", strange(untitled && preview !== "" ? preview : title));
  if (untitled) slot("link")?.parentElement?.classList.add("untitled", ...(preview === "" ? [] : ["said"]));
  if (untitled || preview === "") slot("preview")?.remove();
  else fill("preview", strange(preview));
  slot("received")?.setAttribute("datetime", server.received_at);
  const author = slot("author");
  author?.setAttribute("href", `/a/${server.author.id}`);
  author?.setAttribute("title", server.author.id);
  author?.querySelector("svg")?.setAttribute("class", faceStyle(server.author.id));
  author?.querySelector("path")?.setAttribute("d", facePath(server.author.id));
  fill("author-word", shortAgent(server.author.id));
  const sender = senderWords(message);
  if (sender === undefined) slot("sender")?.remove();
  else fill("sender-word", strange(sender));
  const tags = meta.tags.map((tag) =>
    make("a", { className: "tag", href: `/?tag=${encodeURIComponent(tag)}` }, make("bdi", {}, strange(tag))),
  );
  slot("tags")?.append(...tags.flatMap((tag) => [tag, " "]));
  showStatus(row, status);
  Object.assign(slot("left")?.dataset ?? {}, { left: server.expires_at, from: server.received_at });
  showTimes(row);
  return row;
}

/** The name under which the page draws a kind; all experiments look alike. */
const kindShape = (kind: string): string => (document.getElementById(`k-${kind}`) === null ? "experiment" : kind);

/** The status of a row or of the message of a page, wherever it is shown there. */
export function showStatus(inside: HTMLElement, status: string): void {
  inside.dataset["status"] = status;
  for (const mark of all(".row-state .status, .state .status", inside)) {
    mark.className = `status s-${status}`;
    use(mark, `#s-${status}`);
    const word = find("[data-slot='status-word']", mark);
    if (word !== undefined) word.textContent = status;
    else if (mark.lastChild !== null) mark.lastChild.textContent = status;
  }
}

function use(mark: HTMLElement | undefined, shape: string): void {
  mark?.querySelector("use")?.setAttribute("href", shape);
}
