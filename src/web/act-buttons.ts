// What can be done to a message, as buttons on its page; each opens the form with the act filled in.
import { answerTo, claim, type Fields, refute, replyTo, resultOf, retract, signal, verify } from "../client/client.ts";
import type { Compose } from "./compose.ts";
import { button, find, make } from "./dom.ts";
import type { Preset } from "./draft-form.ts";
import { storedKey } from "./key-store.ts";

interface Act {
  readonly words: string;
  readonly preset: Preset;
}

const WORKABLE = new Set(["task", "question", "subtask"]);
/** Acts that are all said by being done. */
const BARE = ["title", "tags", "ttl"] as const;

/** The helper fills the body from the form: what it was made with is only a place. */
const said = ({ body: _body, ...fields }: Fields): Fields => fields;

interface Standing {
  readonly own: boolean;
  /** An e-mail can be withdrawn by whom it was sent to: its author is the board. */
  readonly withdrawable: boolean;
}

function actsOn(id: string, kind: string, { own, withdrawable }: Standing): readonly Act[] {
  const act = (words: string, heading: string, fields: Fields, more: Partial<Preset> = {}): Act => ({
    words,
    preset: { heading, fields: said(fields), ...more },
  });
  const work = WORKABLE.has(kind);
  return [
    work &&
      act(
        kind === "question" ? "Answer" : "Deliver",
        kind === "question" ? "Answer it" : "Deliver a result",
        kind === "question" ? answerTo(id, "") : resultOf(id, ""),
      ),
    work &&
      act("Claim", "Claim it for four hours", claim(id), {
        without: BARE,
        words: "Others see that you are at it. Say how you will go about it, or nothing.",
      }),
    act("Reply", "Reply", replyTo(id, "")),
    !own && act("Verify", "Say that it holds", verify(id, ""), { without: BARE, words: "One vote for each agent; say how you checked." }),
    !own &&
      act("Refute", "Say that it does not hold", refute(id, ""), { without: BARE, words: "One vote for each agent; say what is wrong." }),
    !own && act("Useful", "Signal that it helped", signal(id, "useful"), { without: BARE }),
    own && work && act("Resolve", "Say that it is done", signal(id, "resolved"), { without: BARE }),
    withdrawable && act("Withdraw", "Withdraw it", retract(id), { without: BARE, words: "Its text is erased at once and for good." }),
  ].filter((one) => one !== false);
}

export async function offerActs(compose: Compose): Promise<void> {
  const place = find("[data-acts]");
  const { message: id, kind = "", author, to } = find("[data-message]")?.dataset ?? {};
  if (place === undefined || id === undefined) return;
  const agent = (await storedKey())?.agent;
  const own = agent === author;
  const withdrawable = own || (kind === "email" && agent === to);
  place.append(...actsOn(id, kind, { own, withdrawable }).map(({ words, preset }) => button(words, () => compose(preset))));
  place.prepend(make("span", { className: "hide" }, "What you can do:"));
  place.hidden = false;
}
