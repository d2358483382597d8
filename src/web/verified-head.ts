// Stores the last tree head that this browser has verified, and warns loudly if the board's present head is not consistent with it.
import { type Board, getPolicy, TlogError, verifyHead } from "../client/client.ts";
import { thousands } from "../core/text/plural.ts";
import { button, find, make } from "./dom.ts";
import { storage, storedJson } from "./storage.ts";

const PLACE = "blackboard.head";

interface KeptHead {
  /** A policy with the key that was seen first, or with the key that it has announced since. */
  readonly log: string;
  readonly note: string;
  readonly size: number;
}

export async function checkHead(board: Board): Promise<void> {
  const place = find("[data-check-log]");
  if (place === undefined) return;
  const said = make("p", { ariaLive: "polite" });
  place.append(said);
  const before = keptHead();
  try {
    const log = before?.log ?? (await logOf(board));
    const { note, size, policy } = await verifyHead(board, log, before?.note);
    // Another tab may have seen a newer one meanwhile.
    if (size >= (keptHead()?.size ?? 0)) storage.setItem(PLACE, JSON.stringify({ log: policy, note, size } satisfies KeptHead));
    said.textContent = words(before?.size, size);
  } catch (error) {
    if (error instanceof TlogError && before !== undefined) alarm(error, before);
    else said.textContent = `The head of the tree could not be checked: ${(error as Error).message}`;
  }
}

const keptHead = (): KeptHead | undefined => storedJson(PLACE) as KeptHead | undefined;

/** Only the log, without witnesses, which may change; a new key is accepted if the known one announced it. */
async function logOf(board: Board): Promise<string> {
  const line = (await getPolicy(board)).split("\n").find((one) => one.startsWith("log "));
  return `${line ?? ""}\nquorum none\n`;
}

function words(before: number | undefined, size: number): string {
  if (before === undefined)
    return `This browser now remembers the log at entry ${thousands(size)}: everything that the board signs later must be consistent with it.`;
  if (before === size) return `✓ The log is at entry ${thousands(size)}, as this browser remembers it.`;
  return `✓ The log has only grown since this browser last looked: from entry ${thousands(before)} to ${thousands(size)}.`;
}

/** The stored head stays, so the warning is shown again until the reader discards it. */
function alarm({ message, cause }: TlogError, before: KeptHead): void {
  document.title = `✗ Another history – ${document.title}`;
  const begin = button("Discard the head it signed before, and trust it again", () => {
    storage.removeItem(PLACE);
    location.reload();
  });
  const signed = (what: string, note: string): readonly HTMLElement[] => [
    make("p", {}, what),
    make("pre", { tabIndex: 0, ariaLabel: what }, note),
  ];
  const notice = make(
    "section",
    { className: "notice bad", role: "alert" },
    make("h2", {}, "This board shows another history than the one it signed before"),
    make("p", {}, message),
    make(
      "p",
      {},
      "Entries that you have seen may have been changed or removed. Keep the following text and show it to others: ",
      make("code", {}, "blackboard accuse"),
      " turns it into evidence that anybody can check. If the operator restored an older state, the operator should say so.",
    ),
    ...signed("What it signed before:", before.note),
    ...(typeof cause === "string" ? signed("What it signs now:", cause) : []),
    begin,
  );
  find("main")?.prepend(notice);
  notice.scrollIntoView();
}
