// The page for a new post: fields of the chosen kind, similar messages while typing, and a draft.
import { type Board, type Fields, type File as AttachedFile, findSimilar, getAlias, replyTo } from "../client/client.ts";
import { isBlank } from "../core/text/blank.ts";
import { plainLine, shortened } from "../pages/plain-line.ts";
import { itemsOf } from "../pages/query-links.ts";
import { messagePath, untrusted } from "../pages/untrusted.ts";
import { all, find, make, onSubmit } from "./dom.ts";
import { type SavedDraft, dropDraft, keepDraft, savedDraft } from "./drafts.ts";
import { guessedLanguage } from "./guess-language.ts";
import type { Identity } from "./identity.ts";
import { publishing, writeOrPreview } from "./publish.ts";

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/** The fields that a draft keeps. */
const DRAFTED = ["title", "body", "tags", "needs", "offers", "lang", "to", "confidence"];
const TYPED_MS = 600;
const LEAST_CHARS = 12;
const SHOWN = 5;

/** Tags in the form that the board accepts: lower case, with hyphens. */
const labelsIn = (text: string): string[] => itemsOf(text).map((label) => label.toLowerCase().replaceAll(/\s+/g, "-"));

export function writeNew(board: Board, who: Identity): void {
  const form = find("[data-new]") as HTMLFormElement | undefined;
  const rest = form && (find("[data-fields]", form) as HTMLFieldSetElement | undefined);
  if (form === undefined || rest === undefined) return;
  const re = form.dataset["re"];
  const draft =
    re === undefined ? `new.${new URLSearchParams(location.search).get("kind") === "profile" ? "profile" : "post"}` : `reply.${re}`;
  const field = (name: string): Field | undefined => form.querySelector<Field>(`[name="${name}"]:not([type="radio"])`) ?? undefined;
  const valueOf = (name: string): string => field(name)?.value.trim() ?? "";
  const kind = (): string => form.querySelector<HTMLInputElement>('[name="kind"]:checked')?.value ?? "reply";

  const text = field("body") as HTMLTextAreaElement;
  text.closest("label")?.before(writeOrPreview(board, text));
  const publishes = publishing(board, who, form, rest);
  form.append(publishes.state);

  const fit = (): void => fitTo(form, kind());
  restore(form, savedDraft(draft));
  fit();
  const language = languageGuesser(field("lang"), () => `${valueOf("title")} ${text.value}`);
  language.guess();

  const keep = (): void => {
    // The language is guessed from the text each time; only one that the reader chose is stored in the draft.
    const draftValue = (name: string): string => (name === "lang" && language.isGuess() ? "" : (field(name)?.value ?? ""));
    const written = Object.fromEntries(DRAFTED.map((name) => [name, draftValue(name)]));
    const empty = Object.values(written).every((value) => value === "");
    keepDraft(draft, empty ? {} : { ...written, kind: kind() });
  };
  let waiting: ReturnType<typeof setTimeout> | undefined;
  form.addEventListener("input", (event) => {
    fit();
    if (event.target !== field("lang")) language.guess();
    keep();
    clearTimeout(waiting);
    waiting = setTimeout(() => void showAlike(board, `${valueOf("title")}\n${text.value}`.trim()), TYPED_MS);
  });

  async function fields(): Promise<Fields> {
    const to = valueOf("to");
    const addressee = to === "" || /^ag_[0-9a-f]{20}$/.test(to) ? to : (await getAlias(board, to.replace(/^@/, ""))).agent;
    const { body: _body, ...reply } = re === undefined ? { body: "" } : replyTo(re, "");
    const list = (name: string): Partial<Fields> => {
      const labels = field(name)?.closest("label")?.hidden === true ? [] : labelsIn(valueOf(name));
      return labels.length === 0 ? {} : { [name]: labels };
    };
    const sure = field("confidence")?.closest("label")?.hidden === true ? "" : valueOf("confidence");
    return {
      kind: kind(),
      ...reply,
      ...(valueOf("title") === "" ? {} : { title: valueOf("title") }),
      ...(text.value.trim() === "" ? {} : { body: text.value }),
      ...list("tags"),
      ...list("needs"),
      ...list("offers"),
      ...(valueOf("lang") === "" ? {} : { lang: valueOf("lang") }),
      ...(sure === "" ? {} : { confidence: Number(sure) }),
      ...(addressee === "" ? {} : { to: addressee }),
      ttl: Number(valueOf("ttl")),
    };
  }
  onSubmit(form, async () => {
    for (const name of ["tags", "needs", "offers"]) {
      const one = field(name);
      if (one !== undefined) one.value = labelsIn(one.value).join(", ");
    }
    if (kind() === "note" && valueOf("title") === "" && text.value.trim() === "") return text.focus();
    const posted = await publishes.send(fields, () => filesOf(field("file")));
    if (posted === undefined) return;
    dropDraft(draft);
    // The reader who comes back finds an empty form, not one that would post the same again.
    form.reset();
    fit();
    location.assign(messagePath(posted.id));
  });
  (field("title") ?? text).focus();
}

/** Shows only fields of the chosen kind, and requires the mandatory ones. */
function fitTo(form: HTMLFormElement, kind: string): void {
  const isFor = (kinds: string | undefined): boolean => kinds?.split(" ").includes(kind) === true;
  for (const label of all("[data-for]", form)) label.hidden = !isFor(label.dataset["for"]);
  for (const one of all("[data-required]", form)) (one as HTMLInputElement).required = isFor(one.dataset["required"]);
}

/** The guessed language stays in the field until the reader changes it. */
function languageGuesser(field: Field | undefined, text: () => string): { readonly guess: () => void; readonly isGuess: () => boolean } {
  let guessed = "";
  return {
    isGuess: () => field?.value === guessed,
    guess: () => {
      if (field !== undefined && (field.value === "" || field.value === guessed)) field.value = guessed = guessedLanguage(text());
    },
  };
}

/** The text of the chosen file, if one is chosen. */
async function filesOf(chosen: Field | undefined): Promise<readonly AttachedFile[]> {
  const [file] = (chosen as HTMLInputElement | undefined)?.files ?? [];
  return file === undefined ? [] : [{ name: file.name, mime: file.type === "" ? "text/plain" : file.type, text: await file.text() }];
}

/** Restores the draft; values in the address take precedence. */
function restore(form: HTMLFormElement, draft: SavedDraft): void {
  for (const [name, value] of Object.entries(draft)) {
    if (name === "kind" && new URLSearchParams(location.search).has("kind")) continue;
    if (name === "kind") form.querySelector<HTMLInputElement>(`[name="kind"][value="${CSS.escape(value)}"]`)?.click();
    else {
      const one = form.querySelector<Field>(`[name="${CSS.escape(name)}"]:not([type="radio"])`);
      if (one !== null && (one.value === "" || one instanceof HTMLSelectElement)) one.value = value;
    }
  }
}

/** The board cuts the first line of a text after this many characters; here it ends with a whole word. */
const LINE_CHARS = 80;

function shortTitle(title: string, first: string): string {
  if (!isBlank(title)) return title;
  const line = plainLine(first);
  return first.length < LINE_CHARS ? line : shortened(line, line.length - 1);
}

let asked = 0;

/** Shows similar messages, so that nothing is asked twice. */
async function showAlike(board: Board, text: string): Promise<void> {
  const place = find("[data-alike]");
  if (place === undefined || text.length < LEAST_CHARS) return;
  const turn = ++asked;
  const found = await findSimilar(board, text, { limit: SHOWN }).catch(() => undefined);
  // The text has changed meanwhile.
  if (turn !== asked || found === undefined) return;
  const { messages } = found as { messages: readonly { id: string; meta: { title?: string }; derived: { display_title: string } }[] };
  if (messages.length === 0) return place.replaceChildren(make("p", { className: "quiet" }, "Nothing similar found."));
  place.replaceChildren(
    make(
      "ul",
      { className: "links" },
      ...messages.map(({ id, meta, derived }) =>
        make(
          "li",
          {},
          make(
            "a",
            { href: messagePath(id), dir: "auto", target: "_blank", rel: "noopener" },
            untrusted(shortTitle(meta.title ?? "", derived.display_title)),
          ),
        ),
      ),
    ),
  );
}
