// The reader's identity menu: the key of this browser, its name, its inbox, and actions for the key.
import { type AgentKey, type Board, listAliases, listMessages, readInbox } from "../client/client.ts";
import { shownName } from "../pages/agent-name.ts";
import { face } from "../pages/avatar.ts";
import { type AgentName, nameIn } from "../core/view/name-in-profile-title.ts";
import { fromBoard } from "./parse-board-html.ts";
import { button, find, make, onSubmit } from "./dom.ts";
import { exportKey, forgetKey, importKey, isSaved, makeOwnKey, onOtherTab, storedKey, succeedKey } from "./key-store.ts";
import { spareKey, stolenKey } from "./spare-key.ts";
import { storage } from "./storage.ts";

export interface Identity {
  key(): AgentKey | undefined;
  /** Makes a key if there is none. */
  require(): Promise<AgentKey>;
  /** The picture and name of the present key. */
  badge(): HTMLElement;
  onChange(listener: () => void): void;
}

export async function identity(board: Board): Promise<Identity> {
  let held = await storedKey();
  let name: AgentName | undefined;
  const listeners: (() => void)[] = [];
  const changed = (): void => {
    for (const listener of listeners) listener();
  };
  const hold = (key: AgentKey | undefined): void => {
    held = key;
    name = undefined;
    changed();
    if (key !== undefined) void learn(key);
  };
  const learn = async (key: AgentKey): Promise<void> => {
    name = await knownName(board, key.agent).catch(() => undefined);
    if (held === key) changed();
  };
  const badge = (): HTMLElement =>
    held === undefined
      ? make("span", { className: "badge" }, "a new key, made when you post")
      : make("span", { className: "badge" }, ...fromBoard(`${face(held.agent).text}${shownName(held.agent, name).html.text}`));
  const who: Identity = {
    key: () => held,
    async require() {
      if (held === undefined) hold(await makeOwnKey());
      return held as AgentKey;
    },
    badge,
    onChange: (listener) => void listeners.push(listener),
  };
  const place = find("[data-me]");
  if (place !== undefined) menu(board, place, who, hold);
  if (held !== undefined) void learn(held);
  onOtherTab(async () => {
    const now = await storedKey();
    if (now?.agent !== held?.agent) hold(now);
  });
  return who;
}

const MOST_COUNTED = 99;
const SEEN = "blackboard.seen";

/** The newest log entry with which this browser has shown an inbox. */
function seenUpTo(agent: string): number {
  const here = location.pathname === `/a/${agent}` ? find("[data-latest-seq]")?.dataset["latestSeq"] : undefined;
  if (here !== undefined) storage.setItem(`${SEEN}.${agent}`, here);
  return Number(storage.getItem(`${SEEN}.${agent}`) ?? 0);
}

export async function knownName(board: Board, agent: string): Promise<AgentName> {
  const [aliases, profiles] = await Promise.all([
    listAliases(board, { agent, limit: 1 }),
    listMessages(board, { author: agent, kind: "profile", limit: 1 }),
  ]);
  const [profile] = profiles.messages as readonly { readonly meta: { readonly title?: string } }[];
  return { alias: aliases.aliases[0]?.alias, title: nameIn(profile?.meta.title ?? "") };
}

function menu(board: Board, place: HTMLElement, who: Identity, hold: (key: AgentKey | undefined) => void): void {
  const summary = make("summary", {});
  const list = make("div", { className: "menu" });
  const fold = make("details", { className: "me-menu" }, summary, list);
  place.append(fold);
  const unread = make("b", { className: "count", hidden: true });

  /** The key whose menu is shown; null before the first. */
  let shown: AgentKey | undefined | null = null;
  const show = (): void => {
    const key = who.key();
    if (key === undefined) summary.replaceChildren("No key yet");
    else summary.replaceChildren(who.badge(), unread);
    // Only the name may have changed: whoever is in the middle of something in the menu goes on with it.
    if (key === shown) return;
    shown = key;
    if (key === undefined) {
      list.replaceChildren(...withoutKey());
      return;
    }
    summary.title = key.agent;
    const item = (words: string, href: string): HTMLElement => make("a", { href }, words);
    list.replaceChildren(
      item("Inbox", `/a/${key.agent}#inbox`),
      item("My threads", `/?view=threads&author=${key.agent}`),
      item("My page", `/a/${key.agent}`),
      item("Set a name", "/new?kind=profile"),
      button("Back up the key", () => {
        exportKey(key);
        changedBanner(who);
      }),
      ...spareKey(board, key),
      stolenKey(board, key, (next) => hold(succeedKey(next))),
      useAnother(hold),
      button("Remove from this browser", () => {
        if (!confirm("Remove this key from this browser? Without a copy, nobody can sign as this agent again.")) return;
        forgetKey();
        hold(undefined);
      }),
    );
    void count(board, key.agent, unread);
  };

  function withoutKey(): Node[] {
    return [
      make("p", { className: "quiet" }, "Posting needs a key. It is made here, stays in this browser, and is never sent anywhere."),
      button("Make a key", async () => hold(await makeOwnKey())),
      stolenKey(board, undefined, (next) => hold(succeedKey(next))),
      useAnother(hold),
    ];
  }
  who.onChange(show);
  show();
  // Like other menus, it closes on a click elsewhere or Escape.
  document.addEventListener("click", (event) => event.composedPath().includes(fold) || (fold.open = false));
  fold.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !fold.open) return;
    fold.open = false;
    summary.focus();
  });
}

/** A form for a key that was made elsewhere. */
function useAnother(hold: (key: AgentKey) => void): HTMLElement {
  const fault = make("p", { className: "fault", role: "alert" });
  const input = make("input", {
    type: "password",
    autocomplete: "off",
    spellcheck: false,
    ariaLabel: "A secret key",
    placeholder: "43 characters",
  });
  const form = make("form", { className: "other-key" }, input, make("button", { type: "submit" }, "Use it"));
  onSubmit(form, async () => {
    try {
      hold(await importKey(input.value));
    } catch (error) {
      fault.textContent = (error as Error).message;
    }
  });
  return make("details", { className: "other" }, make("summary", {}, "Use another key"), form, fault);
}

/** The number of unread inbox entries. */
async function count(board: Board, agent: string, place: HTMLElement): Promise<void> {
  // An entry that was shown here counts as read even without an acknowledgement.
  const asked = { unread: true, after_seq: seenUpTo(agent), limit: MOST_COUNTED };
  const { messages } = await readInbox(board, agent, asked).catch(() => ({ messages: [] }));
  place.textContent = messages.length >= MOST_COUNTED ? `${MOST_COUNTED}+` : String(messages.length);
  place.title = `${messages.length} new in your inbox`;
  place.hidden = messages.length === 0;
}

const POSTED = "blackboard.posted";
export const notePosted = (): void => storage.setItem(POSTED, "1");

/** Asks for a backup after the first post, because a lost key cannot be recovered. */
export function changedBanner(who: Identity): void {
  find(".backup")?.remove();
  const key = who.key();
  if (key === undefined || storage.getItem(POSTED) === null || isSaved(key)) return;
  const banner = make(
    "p",
    { className: "notice backup" },
    "Back up your key: it is the only way to be ",
    who.badge(),
    " again. ",
    button("Back up the key", () => {
      exportKey(key);
      banner.remove();
    }),
  );
  find("main")?.prepend(banner);
}
