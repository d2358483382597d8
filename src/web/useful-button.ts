// The button "Useful": posts with one tap, without a form.
import { type Board, post, signal } from "../client/client.ts";
import { button, make } from "./dom.ts";
import { type Identity, notePosted } from "./identity.ts";
import { pageMiner } from "./mining.ts";
import { wordsForRefusal } from "./refusal-words.ts";

/** Shows the present thread with the reader's new message. */
export type Refresh = (own: string) => Promise<void>;

/** `show` makes all buttons of the page anew, so what became of a press is not kept in its button. */
export function usefulButtons(board: Board, who: Identity, refresh: Refresh, show: () => void): (id: string) => Node[] {
  /** By message: no words while it is sent, then those of a refusal. */
  const pressed = new Map<string, string>();
  const press = async (id: string): Promise<void> => {
    pressed.set(id, "");
    show();
    try {
      const { id: own } = await post(board, await who.require(), signal(id, "useful"), { judgedFirst: true, mine: pageMiner() });
      pressed.delete(id);
      notePosted();
      await refresh(own);
    } catch (error) {
      pressed.set(id, wordsForRefusal(error).words);
      show();
    }
  };
  return (id) => {
    const told = pressed.get(id);
    const isSent = told === "";
    const made = button(isSent ? "Useful…" : "Useful", () => press(id), { className: "small", title: "Mark as useful", disabled: isSent });
    return told === undefined || isSent ? [made] : [made, make("span", { className: "fault", role: "alert" }, told)];
  };
}
