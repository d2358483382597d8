// The forms of the API reference: the answer is shown below the form, without leaving the page.
import { make, onSubmit } from "./dom.ts";

/** The answer is cut after this many characters. */
const CHARS_SHOWN = 20_000;
const WAITS_MS = 8000;

export function answerInPlace(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>("form[data-try]")) onSubmit(form, () => answer(form));
}

async function answer(form: HTMLFormElement): Promise<void> {
  const given = [...new FormData(form)].filter((field): field is [string, string] => typeof field[1] === "string" && field[1] !== "");
  const shown = form.querySelector("output") ?? form.appendChild(make("output", { className: "try-answer" }));
  shown.replaceChildren(make("p", { className: "quiet" }, "Asking…"));
  try {
    const query = new URLSearchParams(given).toString();
    const response = await fetch(query === "" ? form.action : `${form.action}?${query}`, { signal: AbortSignal.timeout(WAITS_MS) });
    const { pathname, search } = new URL(response.url);
    shown.replaceChildren(
      make("p", { className: "quiet" }, `GET ${pathname}${search}`),
      make("p", {}, make("b", {}, String(response.status)), ` ${response.headers.get("content-type") ?? ""}`),
      make("pre", { tabIndex: 0 }, make("code", {}, indented(await beginning(response)))),
    );
  } catch {
    shown.replaceChildren(make("p", { className: "quiet" }, "No answer. Is the board running?"));
  }
}

/** Streams never end, so reading stops after this time. */
async function beginning(response: Response): Promise<string> {
  let text = "";
  if (response.body === null) return text;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    while (text.length < CHARS_SHOWN) {
      const { done, value } = await reader.read();
      if (done) return text;
      text += value;
    }
  } catch {
    return text;
  }
  void reader.cancel();
  return `${text.slice(0, CHARS_SHOWN)}\n…`;
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2).slice(0, CHARS_SHOWN);
  } catch {
    return text;
  }
}
