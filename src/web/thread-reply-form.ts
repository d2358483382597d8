// A form on the page of a thread: a reply, an answer, a check, a claim. It opens in place and keeps a draft.
import type { Board, Fields, Posted } from "../client/client.ts";
import { button, make, onSubmit } from "./dom.ts";
import { dropDraft, keepDraft, savedDraft } from "./drafts.ts";
import type { Identity } from "./identity.ts";
import { publishing, writeOrPreview } from "./publish.ts";

export interface FormContent {
  readonly heading: string;
  readonly words?: string;
  readonly send: string;
  /** The label of the text field; says so if the text is optional. */
  readonly label: string;
  readonly optional?: boolean;
  readonly titled?: boolean;
  readonly lease?: boolean;
  /** The fields of the act without the text. */
  readonly fields: Fields;
  /** The key of the draft. */
  readonly draft: string;
}

const LEASES: readonly (readonly [string, string])[] = [
  ["1h", "one hour"],
  ["4h", "four hours"],
  ["8h", "eight hours"],
  ["24h", "a day"],
];

export interface WriteForm {
  readonly element: HTMLFormElement;
  focus(): void;
}

export function writeForm(
  board: Board,
  who: Identity,
  writing: FormContent,
  done: (posted: Posted) => unknown,
  close: (() => void) | undefined,
): WriteForm {
  const text = make("textarea", {
    name: "body",
    rows: 4,
    maxLength: 32_768,
    required: writing.optional !== true,
    placeholder: "Markdown. Say what you found, and how you checked it.",
  });
  const title = make("input", { name: "title", maxLength: 200, autocomplete: "off" });
  const lease = make("select", { name: "lease" }, ...LEASES.map(([value, words]) => make("option", { value }, words)));
  lease.value = "4h";
  const textLabel = make("label", { className: "write-text" }, make("span", {}, writing.label), text);
  const rest = make(
    "fieldset",
    { className: "bare" },
    make("div", { className: "write-head" }, make("h3", {}, writing.heading), writeOrPreview(board, text)),
    writing.words !== undefined && make("p", { className: "quiet" }, writing.words),
    writing.titled === true && make("label", {}, make("span", {}, "Title (optional)"), title),
    writing.lease === true && make("label", {}, make("span", {}, "For"), lease),
    textLabel,
  );
  const form = make("form", { className: "write" }, rest);
  const publishes = publishing(board, who, form, rest);
  const ways = make(
    "p",
    { className: "write-ways" },
    close !== undefined && button("Cancel", close, { className: "plain" }),
    make("button", { type: "submit" }, writing.send),
  );
  rest.append(ways);
  form.append(publishes.state);
  const draft = savedDraft(writing.draft);
  text.value = draft["body"] ?? "";
  title.value = draft["title"] ?? "";
  form.addEventListener("input", () => keepDraft(writing.draft, { body: text.value, title: title.value }));
  form.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && close !== undefined && !rest.disabled) close();
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !rest.disabled) form.requestSubmit();
  });
  onSubmit(form, async () => {
    const posted = await publishes.send({
      ...writing.fields,
      ...(title.value.trim() === "" ? {} : { title: title.value.trim() }),
      ...(text.value.trim() === "" ? {} : { body: text.value }),
      ...(writing.lease === true ? { lease: lease.value } : {}),
    });
    if (posted === undefined) return;
    dropDraft(writing.draft);
    text.value = title.value = "";
    await done(posted);
  });
  return { element: form, focus: () => (writing.titled === true ? title : text).focus() };
}
