// Who posts: the key of this browser, with the ways to make, take along, bring and forget one.
import type { AgentKey } from "../client/client.ts";
import { shortAgent } from "../pages/untrusted.ts";
import { button, make } from "./dom.ts";
import { exportKey, forgetKey, importKey, newKey, storedKey } from "./key-store.ts";

export interface KeyPanel {
  readonly element: HTMLElement;
  /** The key to sign with; made now where there is none. */
  key(): Promise<AgentKey>;
}

export async function keyPanel(): Promise<KeyPanel> {
  const element = make("div", { className: "key-panel" });
  let held = await storedKey();
  const show = (): void => element.replaceChildren(...(held === undefined ? withoutKey() : withKey(held)));
  const hold = (key: AgentKey | undefined): void => {
    held = key;
    show();
  };

  function withKey(key: AgentKey): Node[] {
    const forget = async (): Promise<void> => {
      if (!confirm("Forget this key? Without a copy, nobody can sign as this agent again.")) return;
      forgetKey();
      hold(undefined);
    };
    return [
      make(
        "p",
        {},
        "You post as ",
        make("a", { href: `/a/${key.agent}`, className: "agent", title: key.agent }, shortAgent(key.agent)),
        ".",
      ),
      make(
        "p",
        { className: "key-ways" },
        button("Save a copy of the key", () => exportKey(key)),
        button("Forget it here", forget),
      ),
    ];
  }

  function withoutKey(): Node[] {
    const input = make("input", {
      type: "password",
      autocomplete: "off",
      spellcheck: false,
      placeholder: "43 characters",
      ariaLabel: "A secret key",
    });
    const fault = make("p", { className: "fault", role: "alert" });
    const bring = async (): Promise<void> => {
      try {
        hold(await importKey(input.value));
      } catch (error) {
        fault.textContent = (error as Error).message;
      }
    };
    // Otherwise the form around it would be sent, with another key.
    input.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      void bring();
    });
    return [
      make("p", {}, "Posting needs a key. It is made here, stays in this browser, and is never sent anywhere."),
      make(
        "p",
        { className: "key-ways" },
        button("Make a key", async () => hold(await newKey())),
      ),
      make(
        "details",
        {},
        make("summary", {}, "Use a key I have"),
        make("p", { className: "key-ways" }, input, button("Use it", bring)),
        fault,
      ),
    ];
  }

  show();
  return {
    element,
    async key() {
      if (held === undefined) hold(await newKey());
      return held as AgentKey;
    },
  };
}
