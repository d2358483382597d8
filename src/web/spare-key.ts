// A spare key in a file: committed to in advance, so that it can take over if the key of this browser is stolen or lost.
import {
  type AgentKey,
  type Board,
  BoardError,
  commitKey,
  getAgent,
  getKeys,
  getTime,
  keyHash,
  type KeyOperation,
  loadKey,
  makeKey,
  rotateKey,
} from "../client/client.ts";
import { button, make, onSubmit } from "./dom.ts";
import { saveKeyFile } from "./key-store.ts";
import { pageMiner } from "./mining.ts";
import { keyWordsScript } from "./key-as-words.ts";

/** The state, which screen readers announce when it changes. */
const teller = (): HTMLElement => make("div", { className: "quiet", ariaLive: "polite" });
const working = "Proof of work, a few seconds…";

/** When the commitment takes effect. */
const sinceWords = ({ state, counts_at: at }: KeyOperation): string =>
  state === "pending" ? `It takes effect at ${at}, because this key is older than an hour.` : "It has taken effect.";

/** Makes a key, hands it out as a file or as words, and commits to it. */
export function spareKey(board: Board, key: AgentKey): readonly Node[] {
  const told = teller();
  const trying = (act: () => Promise<void>) => async (): Promise<void> => {
    try {
      await act();
    } catch (error) {
      told.textContent = (error as Error).message;
    }
  };
  const commit = async (spare: AgentKey, words: string): Promise<void> => {
    told.textContent = working;
    const done = await commitKey(board, key, { next: keyHash(spare) }, { mine: pageMiner() });
    told.textContent = `${words} ${sinceWords(done)}`;
  };
  const wanted = async (): Promise<boolean> => {
    const line = await getKeys(board, key.agent).catch(() => undefined);
    return line?.next == null || confirm("There is already a spare key. A new one replaces it after 72 hours. Continue?");
  };
  const save = trying(async () => {
    if (!(await wanted())) return;
    const spare = await makeKey();
    // The file comes first: if the key were committed to and then lost, it could never take over.
    saveKeyFile(spare, `${key.agent}.next.key`);
    await commit(spare, `The file ${key.agent}.next.key is your spare key: keep it apart from this computer.`);
  });
  const write = trying(async () => {
    if (!(await wanted())) return;
    const { keyWords } = await keyWordsScript();
    const spare = await makeKey();
    told.replaceChildren(
      "These 24 words are your spare key. They are kept nowhere: write them down in order, with your name here, ",
      make("code", { className: "id" }, key.agent),
      ".",
      make(
        "ol",
        { className: "key-words" },
        ...keyWords(spare)
          .split(" ")
          .map((word) => make("li", {}, word)),
      ),
      button(
        "I have written them down",
        trying(() => commit(spare, "The 24 words are your spare key: keep them apart from this computer.")),
      ),
    );
  });
  return [button("Save a spare key", save), button("Write down a spare key", write), told];
}

const HOUR_S = 3600;
/** The board accepts at most a week. This is slightly less, because the message takes time to arrive. */
const SINCE: readonly (readonly [string, number | undefined])[] = [
  ["It was lost, not stolen", undefined],
  ["Stolen in the last hour", HOUR_S],
  ["Stolen in the last day", 24 * HOUR_S],
  ["Stolen, I do not know when", 7 * 24 * HOUR_S - 60],
];

/** Lets the spare key take over; `own` is the key of this browser, if it has one. A new spare key is made at once. */
export function stolenKey(board: Board, own: AgentKey | undefined, hold: (key: AgentKey) => void): HTMLElement {
  const file = make("input", { type: "file", accept: ".key,text/plain", ariaLabel: "The file of your spare key" });
  const words = make("textarea", {
    rows: 3,
    spellcheck: false,
    autocomplete: "off",
    placeholder: "or its 24 words",
    ariaLabel: "The 24 words",
  });
  // The words do not contain the agent's id.
  const name = make("input", { spellcheck: false, placeholder: "ag_… or a name, with words", ariaLabel: "Whose key was lost" });
  const since = make("select", { ariaLabel: "What happened" }, ...SINCE.map(([words], i) => make("option", { value: String(i) }, words)));
  if (own !== undefined) since.value = String(SINCE.length - 1);
  const told = teller();
  const send = make("button", { type: "submit" }, "Take over with the spare key");
  const form = make("form", { className: "stolen-key" }, file, words, own === undefined && name, since, send, told);
  /** The agent that the key takes over: that of this browser, a name that was typed, or the one in the file's name. */
  const agentOf = async (chosen: File | undefined): Promise<string> => {
    const typed = name.value.trim();
    const known = own?.agent ?? (typed === "" ? /ag_[0-9a-f]{20}/.exec(chosen?.name ?? "")?.[0] : (await getAgent(board, typed)).id);
    if (known === undefined) throw new Error("Say whose key was lost: its agent id, ag_…, or a name of it.");
    return known;
  };
  const takeOver = async (): Promise<void> => {
    const [chosen] = file.files ?? [];
    const typed = words.value.trim();
    if (chosen === undefined && typed === "") throw new Error("Choose the file of your spare key, or type its 24 words.");
    const spare = typed === "" ? await loadKey(((await chosen?.text()) ?? "").trim()) : await (await keyWordsScript()).loadWords(typed);
    const agent = await agentOf(typed === "" ? chosen : undefined);
    const seconds = SINCE[Number(since.value)]?.[1];
    const from = seconds === undefined ? {} : { from: (await getTime(board)).unix - seconds };
    const following = await makeKey();
    told.textContent = working;
    await rotateKey(board, spare, agent, { next: keyHash(following), ...from }, { mine: pageMiner() });
    saveKeyFile(following, `${spare.agent}.next.key`);
    hold(spare);
  };
  onSubmit(form, () => {
    send.disabled = true;
    return takeOver()
      .catch((error: unknown) => {
        const isOther = error instanceof BoardError && error.code === "key_committed_elsewhere";
        told.textContent = isOther ? "That is not the spare key which was committed." : (error as Error).message;
      })
      .finally(() => (send.disabled = false));
  });
  return make("details", { className: "other" }, make("summary", {}, own === undefined ? "My key is lost" : "This key was stolen"), form);
}
