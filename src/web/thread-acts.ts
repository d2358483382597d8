// The reader's acts in a thread: buttons on its page, and the forms that they open.
import { type Board, post, signal } from "../client/client.ts";
import { actsOnPost, actsOnState, replying, type PostFacts } from "./act-choices.ts";
import { all, button, find, make } from "./dom.ts";
import { type Identity, notePosted } from "./identity.ts";
import { pageMiner } from "./mining.ts";
import { wordsForRefusal } from "./refusal-words.ts";
import { waitButton } from "./awaited-work.ts";
import { writeForm, type FormContent } from "./write-form.ts";

const standingOf = ({ dataset }: HTMLElement): PostFacts => ({
  id: dataset["id"] ?? dataset["state"] ?? "",
  kind: dataset["kind"] ?? "",
  author: dataset["author"] ?? "",
  to: dataset["to"] ?? "",
  status: dataset["status"] ?? "",
  holder: dataset["holder"] ?? "",
  closing: dataset["closing"] ?? "",
});

export interface ThreadActs {
  /** Adds the buttons again after the page was replaced. */
  show(): void;
  /** Opens the reply to a message. */
  reply(id: string): void;
}

/** Shows the present thread with the reader's new message. */
type Refresh = (own: string) => Promise<void>;

export function threadActs(board: Board, who: Identity, refresh: Refresh): ThreadActs {
  let open: HTMLElement | undefined;
  const finish = async (own: string): Promise<void> => {
    open?.remove();
    open = undefined;
    await refresh(own);
  };
  function write(after: HTMLElement, writing: FormContent): void {
    open?.remove();
    const back = document.activeElement as HTMLElement | null;
    const close = (): void => {
      form.element.remove();
      open = undefined;
      back?.focus();
    };
    const form = writeForm(board, who, writing, ({ id }) => finish(id), close);
    open = form.element;
    open.dataset["openUnder"] = after.id;
    after.after(open);
    form.focus();
  }
  function show(): void {
    const me = who.key()?.agent;
    const state = find("[data-state]");
    if (state !== undefined) {
      const standing = standingOf(state);
      const buttons = actsOnState(standing, me).map(({ words, writing, main }) =>
        button(words, () => write(state, writing), { className: main ? "main" : "plain" }),
      );
      if (standing.status === "claimed" && me !== standing.holder)
        buttons.push(waitButton(standing.id, find("h1")?.textContent?.trim() ?? ""));
      find("[data-acts]", state)?.replaceChildren(...buttons);
    }
    for (const card of all("article[data-id]")) {
      const standing = standingOf(card);
      const acts = actsOnPost(standing, me, card.classList.contains("root"));
      const buttons = acts.map(({ words, writing }) => button(words, () => write(card, writing), { className: "small" }));
      if (me === undefined || me !== standing.author) buttons.push(useful(board, who, standing.id, refresh));
      find(".post-foot [data-acts]", card)?.replaceChildren(...buttons);
    }
  }
  function reply(id: string): void {
    const after = all("article[data-id]").find(({ dataset }) => dataset["id"] === id);
    const below = after?.classList.contains("root") === true ? find("[data-reply-place] textarea") : undefined;
    if (below !== undefined) below.focus();
    else if (after !== undefined) write(after, replying(id));
  }
  document.addEventListener("click", (event) => {
    const link = (event.target as Element | null)?.closest<HTMLElement>("[data-reply]");
    if (link === null || link === undefined) return;
    event.preventDefault();
    reply(link.dataset["reply"] ?? "");
  });
  const place = find("[data-reply-place]");
  const whole = replying(place?.dataset["replyPlace"] ?? "");
  place?.replaceChildren(writeForm(board, who, whole, ({ id }) => finish(id), undefined).element);
  who.onChange(show);
  show();
  return { show, reply };
}

/** Posts with one tap, without a form. */
function useful(board: Board, who: Identity, id: string, refresh: Refresh): HTMLButtonElement {
  const made = button(
    "Useful",
    async () => {
      made.disabled = true;
      made.textContent = "Useful…";
      try {
        const { id: own } = await post(board, await who.require(), signal(id, "useful"), { judgedFirst: true, mine: pageMiner() });
        notePosted();
        await refresh(own);
      } catch (error) {
        made.after(make("span", { className: "fault", role: "alert" }, wordsForRefusal(error).words));
        made.textContent = "Useful";
      }
    },
    { className: "small", title: "Mark as useful" },
  );
  return made;
}
