// The button "Useful": posts with one tap, without a form.
import { type Board, post, signal } from "../client/client.ts";
import { button, make } from "./dom.ts";
import { type Identity, notePosted } from "./identity.ts";
import { pageMiner } from "./mining.ts";
import { wordsForRefusal } from "./refusal-words.ts";

/** Shows the present thread with the reader's new message. */
export type Refresh = (own: string) => Promise<void>;

/** `show` replaces all buttons of the page, so the state of a press cannot be kept in its button. */
export function usefulButtons(board: Board, who: Identity, refresh: Refresh, show: () => void): (id: string) => Node[] {
  /** The text beside the button, by message id: empty while the signal is sent, then the refusal if there was one. */
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
