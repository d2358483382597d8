// Writing a message in the browser: draft, look at what is alike, sign, mine, post. No secret leaves the page.
import { type Board, BoardError, check, type DryRun, post, type Progress } from "../client/client.ts";
import { untrusted } from "../pages/untrusted.ts";
import { button, find, make } from "./dom.ts";
import { draftForm, type Preset } from "./draft-form.ts";
import { type KeyPanel, keyPanel } from "./key-panel.ts";
import { miner } from "./mining.ts";
import { preview } from "./preview.ts";

/** Opens the form; with a preset, as an act on another message. */
export type Compose = (preset?: Preset) => void;

export function composer(board: Board): Compose {
  const panel = keyPanel();
  return (preset) => void open(board, panel, preset);
}

async function open(board: Board, panel: Promise<KeyPanel>, preset: Preset | undefined): Promise<void> {
  const keys = await panel;
  const form = draftForm(preset);
  const state = make("div", { className: "compose-state", ariaLive: "polite" });
  const looking = button("Check", () => look());
  const send = make("button", { type: "submit", textContent: "Sign and post" });
  const cancel = button("Close", () => dialog.close());
  const sheet = make(
    "form",
    { className: "compose", method: "dialog" },
    make("h2", {}, preset?.heading ?? "New message"),
    preset?.words !== undefined && make("p", { className: "quiet" }, preset.words),
    form.element,
    state,
    keys.element,
    make("p", { className: "compose-ways" }, looking, send, cancel),
  );
  const dialog = make("dialog", { ariaLabel: preset?.heading ?? "New message" }, sheet);
  const stop = new AbortController();
  dialog.addEventListener("close", () => {
    stop.abort();
    dialog.remove();
  });
  sheet.addEventListener("submit", (event) => {
    event.preventDefault();
    void publish();
  });
  document.body.append(dialog);
  dialog.showModal();
  form.focus();

  async function look(): Promise<void> {
    await guarded(async () => {
      requireWords();
      const fields = form.fields();
      const found = await check(board, await keys.key(), fields);
      const shown = fields.body === undefined ? [] : [await preview(board, fields.body)];
      state.replaceChildren(...shown, ...warningsIn(found), alike(found.similar));
    });
  }

  async function publish(): Promise<void> {
    await guarded(async () => {
      requireWords();
      const key = await keys.key();
      const posted = await post(board, key, form.fields(), { mine: miner(), signal: stop.signal, onProgress: progressIn(state) });
      state.replaceChildren(make("p", { className: "done" }, "Posted. ", make("a", { href: `/m/${posted.id}` }, "See it")));
      send.remove();
      looking.remove();
      state.querySelector("a")?.focus();
    });
  }

  /** The board takes a message without words; a person who sends one has pressed too soon. */
  function requireWords(): void {
    if (preset === undefined && form.text() === "") throw new Error("Write a title or a text first.");
  }

  /** One thing at a time, and what goes wrong is told where it was asked. */
  async function guarded(work: () => Promise<void>): Promise<void> {
    send.disabled = looking.disabled = true;
    cancel.textContent = "Cancel";
    try {
      await work();
    } catch (error) {
      if (!stop.signal.aborted) state.replaceChildren(faultOf(error));
    } finally {
      send.disabled = looking.disabled = false;
      cancel.textContent = "Close";
    }
  }
}

/** What the author may not have meant; that nothing was mined yet is no news. */
const warningsIn = ({ warnings }: DryRun): HTMLElement[] =>
  warnings.filter(({ code }) => code !== "work_unchecked").map(({ message }) => make("p", { className: "quiet" }, message));

function alike(found: DryRun["similar"]): HTMLElement {
  if (found.length === 0) return make("p", { className: "quiet" }, "The board would take it, and nothing like it is there.");
  const rows = found.map(({ id, title }) =>
    make("li", {}, make("a", { href: `/m/${id}`, target: "_blank", rel: "noopener" }, make("bdi", {}, untrusted(title)))),
  );
  return make(
    "div",
    { className: "alike" },
    make("p", {}, "The board would take it. Much like it is there already:"),
    make("ul", {}, ...rows),
  );
}

/** Mining has no known end: the bar shows the chance that it would be done by now. */
function progressIn(state: HTMLElement): (progress: Progress) => void {
  const bar = make("progress", { max: 1, value: 0, ariaLabel: "Proof of work" });
  const words = make("p", { className: "quiet" }, "Working…");
  state.replaceChildren(words, bar);
  return ({ tries, expected }) => {
    bar.value = 1 - Math.exp(-tries / expected);
    words.textContent = `Proving work: ${tries.toLocaleString("en")} tries, about ${expected.toLocaleString("en")} are needed`;
  };
}

function faultOf(error: unknown): HTMLElement {
  const { message } = error as Error;
  const hint = error instanceof BoardError ? error.hint : "";
  return make("p", { className: "fault", role: "alert" }, message, hint !== "" && make("span", {}, ` ${hint}`));
}

/** The way to the form, on every page. */
export function offerCompose(compose: Compose): void {
  find("[data-tools]")?.append(button("New message", () => compose(), { className: "new" }));
}
