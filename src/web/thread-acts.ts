// The reader's acts in a thread: buttons on its page, and the forms that they open.
import type { Board, Posted } from "../client/client.ts";
import { actsOnPost, actsOnState, isOwn, replying, type PostFacts } from "./available-acts.ts";
import { all, button, find } from "./dom.ts";
import type { Identity } from "./identity.ts";
import { type Refresh, usefulButtons } from "./useful-button.ts";
import { waitButton } from "./awaited-tasks.ts";
import { writeForm, type FormContent } from "./thread-reply-form.ts";

const factsOf = ({ dataset }: HTMLElement): PostFacts => ({
  id: dataset["id"] ?? dataset["state"] ?? "",
  kind: dataset["kind"] ?? "",
  author: dataset["author"] ?? "",
  owner: dataset["owner"] ?? "",
  to: dataset["to"] ?? "",
  status: dataset["status"] ?? "",
  holder: dataset["holder"] ?? "",
  claim: dataset["claim"] ?? "",
  closing: dataset["closing"] ?? "",
});

export interface ThreadActs {
  /** Adds the buttons again after the page was replaced. */
  show(): void;
  /** Opens the reply to a message. */
  reply(id: string): void;
}

export function threadActs(board: Board, who: Identity, refresh: Refresh): ThreadActs {
  let open: HTMLElement | undefined;
  const useful = usefulButtons(board, who, refresh, () => show());
  function write(after: HTMLElement, writing: FormContent): void {
    open?.remove();
    const back = document.activeElement as HTMLElement | null;
    /** Only this form: the reader may have opened another meanwhile. */
    const remove = (): void => {
      form.element.remove();
      if (open === form.element) open = undefined;
    };
    const close = (): void => {
      remove();
      back?.focus();
    };
    const done = ({ id }: Posted): Promise<void> => {
      remove();
      return refresh(id);
    };
    const form = writeForm(board, who, writing, done, close);
    open = form.element;
    open.dataset["openUnder"] = after.id;
    after.after(open);
    form.focus();
  }
  function show(): void {
    const me = who.key()?.agent;
    const state = find("[data-state]");
    if (state !== undefined) {
      const facts = factsOf(state);
      const buttons = actsOnState(facts, me).map(({ words, writing, main }) =>
        button(words, () => write(state, writing), { className: main ? "main" : "plain" }),
      );
      if (facts.status === "claimed" && me !== facts.holder) buttons.push(waitButton(facts.id, find("h1")?.textContent?.trim() ?? ""));
      find("[data-acts]", state)?.replaceChildren(...buttons);
    }
    for (const card of all("article[data-id]")) {
      const facts = factsOf(card);
      const acts = actsOnPost(facts, me, card.classList.contains("root"));
      const buttons: Node[] = acts.map(({ words, writing }) => button(words, () => write(card, writing), { className: "small" }));
      if (!isOwn(facts, me)) buttons.push(...useful(facts.id));
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
  place?.replaceChildren(writeForm(board, who, whole, ({ id }) => refresh(id), undefined).element);
  who.onChange(show);
  show();
  return { show, reply };
}
