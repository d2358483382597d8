// Posts from a form: checks the message before any work is done, mines in the background, and shows a refusal at its field.
import { type Board, type Fields, type File as AttachedFile, post, type Posted } from "../client/client.ts";
import { button, find, make } from "./dom.ts";
import { shownName } from "../pages/agent-name.ts";
import { messagePath, untrusted } from "../pages/untrusted.ts";
import { type Identity, knownName, notePosted } from "./identity.ts";
import { pageMiner, miningWords, priceWords } from "./mining.ts";
import { preview } from "./preview.ts";
import { wordsForRefusal } from "./refusal-words.ts";

export interface Publishing {
  /** Shows who posts and how long it takes; during mining, the time left. */
  readonly state: HTMLElement;
  /** Undefined if it was stopped or refused. */
  send(fields: Fields | (() => Promise<Fields>), files?: () => Promise<readonly AttachedFile[]>): Promise<Posted | undefined>;
}

/** The form is disabled while it is sent. */
export function publishing(board: Board, who: Identity, form: HTMLFormElement, rest: HTMLFieldSetElement): Publishing {
  const state = make("div", { className: "publish-state", ariaLive: "polite" });
  const idle = (): void => {
    const price = make("span", {});
    void priceWords(board).then(
      (words) => (price.textContent = ` · ${words}`),
      () => {},
    );
    state.replaceChildren(make("p", { className: "quiet" }, "You post as ", who.badge(), price));
  };
  who.onChange(() => rest.disabled || idle());
  idle();
  return {
    state,
    async send(fields, files) {
      clearFaults(form);
      const stop = new AbortController();
      const bar = make("progress", { max: 1, value: 0, ariaLabel: "Proof of work" });
      const words = make("p", { className: "quiet" }, "Signing…");
      const say = miningWords();
      rest.disabled = true;
      state.replaceChildren(
        words,
        bar,
        button("Stop", () => stop.abort()),
      );
      try {
        const key = await who.require();
        const posted = await post(board, key, typeof fields === "function" ? await fields() : fields, {
          files: await files?.(),
          judgedFirst: true,
          mine: pageMiner(),
          signal: stop.signal,
          onProgress: (progress) => {
            const told = say(progress);
            bar.value = told.share;
            if (words.textContent !== told.words) words.textContent = told.words;
          },
        });
        notePosted();
        return posted;
      } catch (error) {
        if (!stop.signal.aborted) showFault(board, form, error);
        return undefined;
      } finally {
        rest.disabled = false;
        idle();
      }
    },
  };
}

function clearFaults(form: HTMLElement): void {
  for (const fault of form.querySelectorAll(".fault")) fault.remove();
  for (const field of form.querySelectorAll("[aria-invalid]")) field.removeAttribute("aria-invalid");
}

/** Shows a refusal beside its field, which gets the focus, or above the button. */
function showFault(board: Board, form: HTMLElement, error: unknown): void {
  const { words, field, who, instead = [] } = wordsForRefusal(error);
  const input = field === undefined ? undefined : find(`[name="${field}"]`, form);
  const said = make("span", {}, words);
  const fault = make("p", { className: "fault", role: "alert" }, said);
  if (who !== undefined)
    void knownName(board, who).then(
      (name) => (said.textContent = words.replace(/^Somebody/, () => shownName(who, name).text)),
      () => {},
    );
  if (instead.length > 0)
    fault.append(
      " Similar open work: ",
      ...instead.flatMap(({ id, title }, i) => [i === 0 ? "" : ", ", make("a", { href: messagePath(id), dir: "auto" }, untrusted(title))]),
      ".",
    );
  if (input === undefined) {
    const end = find(".publish-state", form);
    if (end === undefined) form.append(fault);
    else end.before(fault);
    return;
  }
  input.setAttribute("aria-invalid", "true");
  const fold = input.closest("details");
  if (fold !== null) fold.open = true;
  input.closest("label")?.after(fault);
  // The form is disabled until this turn is over.
  setTimeout(() => input.focus());
}

/** Two tabs above a text field: write and preview. */
export function writeOrPreview(board: Board, text: HTMLTextAreaElement): HTMLElement {
  const shown = make("div", { hidden: true });
  const tab = (words: string, press: () => unknown): HTMLButtonElement => button(words, press, { className: "tab" });
  const write = tab("Write", () => choose(true));
  const look = tab("Preview", async () => {
    shown.replaceChildren(
      text.value.trim() === "" ? make("p", { className: "quiet" }, "Nothing to show yet.") : await preview(board, text.value),
    );
    choose(false);
  });
  const choose = (writing: boolean): void => {
    text.hidden = !writing;
    shown.hidden = writing;
    write.setAttribute("aria-pressed", String(writing));
    look.setAttribute("aria-pressed", String(!writing));
    if (writing) text.focus();
  };
  // A hidden field cannot show that it must be filled in.
  text.addEventListener("invalid", () => choose(true));
  write.setAttribute("aria-pressed", "true");
  look.setAttribute("aria-pressed", "false");
  text.after(shown);
  return make("span", { className: "write-tabs" }, write, look);
}
