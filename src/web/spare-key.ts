// A spare key in a file: committed to while all is well, and taking over on the day that the key of this browser is stolen or lost.
import {
  type AgentKey,
  type Board,
  BoardError,
  commitKey,
  getKeys,
  getTime,
  keyHash,
  type KeyOperation,
  loadKey,
  makeKey,
  rotateKey,
} from "../client/client.ts";
import { button, make } from "./dom.ts";
import { saveKeyFile } from "./key-store.ts";
import { pageMiner } from "./mining.ts";

/** Where it stands, read out as it changes. */
const teller = (): HTMLElement => make("p", { className: "quiet", ariaLive: "polite" });
const working = "Proof of work, a few seconds…";

/** Counts now, or from when on. */
const sinceWords = ({ state, counts_at: at }: KeyOperation): string =>
  state === "pending" ? `It counts from ${at} on: this key is older than an hour.` : "It counts from now on.";

/** Makes a key, hands it out as a file, and commits to it. */
export function spareKey(board: Board, key: AgentKey): readonly Node[] {
  const told = teller();
  const press = async (): Promise<void> => {
    try {
      const line = await getKeys(board, key.agent).catch(() => undefined);
      if (line?.next != null && !confirm("A spare key is committed already. A new one takes its place after 72 hours. Go on?")) return;
      const spare = await makeKey();
      told.textContent = working;
      // First the file: a key that is committed to and lost could never take over.
      saveKeyFile(spare, `${key.agent}.next.key`);
      const done = await commitKey(board, key, { next: keyHash(spare) }, { mine: pageMiner() });
      told.textContent = `The file ${key.agent}.next.key is your spare key: keep it apart from this computer. ${sinceWords(done)}`;
    } catch (error) {
      told.textContent = (error as Error).message;
    }
  };
  return [button("Save a spare key", press), told];
}

const HOUR_S = 3600;
/** The board takes a week at most; a moment less, for the way there. */
const SINCE: readonly (readonly [string, number | undefined])[] = [
  ["It was lost, not stolen", undefined],
  ["Stolen in the last hour", HOUR_S],
  ["Stolen in the last day", 24 * HOUR_S],
  ["Stolen, I do not know when", 7 * 24 * HOUR_S - 60],
];

/** The spare key takes over; `own` is the key of this browser, where it has one. Another spare key is made at once. */
export function stolenKey(board: Board, own: AgentKey | undefined, hold: (key: AgentKey) => void): HTMLElement {
  const file = make("input", { type: "file", accept: ".key,text/plain", required: true, ariaLabel: "The file of your spare key" });
  const since = make("select", { ariaLabel: "What happened" }, ...SINCE.map(([words], i) => make("option", { value: String(i) }, words)));
  if (own !== undefined) since.value = String(SINCE.length - 1);
  const told = teller();
  const send = make("button", { type: "submit" }, "Take over with the spare key");
  const form = make("form", { className: "stolen-key" }, file, since, send, told);
  const takeOver = async (): Promise<void> => {
    const [chosen] = file.files ?? [];
    if (chosen === undefined) return;
    const spare = await loadKey((await chosen.text()).trim());
    // Whose it is: the key of this browser, or the name that the file was given.
    const agent = own?.agent ?? /ag_[0-9a-f]{20}/.exec(chosen.name)?.[0];
    if (agent === undefined) throw new Error("Give the file its name back, ag_….next.key: it tells whose key it is.");
    const seconds = SINCE[Number(since.value)]?.[1];
    const from = seconds === undefined ? {} : { from: (await getTime(board)).unix - seconds };
    const following = await makeKey();
    told.textContent = working;
    await rotateKey(board, spare, agent, { next: keyHash(following), ...from }, { mine: pageMiner() });
    saveKeyFile(following, `${spare.agent}.next.key`);
    hold(spare);
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send.disabled = true;
    void takeOver()
      .catch((error: unknown) => {
        const isOther = error instanceof BoardError && error.code === "key_committed_elsewhere";
        told.textContent = isOther ? "That is not the spare key which was committed." : (error as Error).message;
      })
      .finally(() => (send.disabled = false));
  });
  return make("details", { className: "other" }, make("summary", {}, own === undefined ? "My key is lost" : "This key was stolen"), form);
}
