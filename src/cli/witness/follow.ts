// One round of a witness: reads the board's head, checks that the log has only grown, and cosigns.
import { callText } from "../../client/call.ts";
import type { Board } from "../../client/board-handle.ts";
import { followLogKey, getPolicy, readTile } from "../../client/tlog.ts";
import { sha256 } from "../../core/protocol/node-sha256.ts";
import { parseCheckpoint } from "../../core/tlog/checkpoint.ts";
import { formatVerifierKey } from "../../core/tlog/key.ts";
import { parseNote } from "../../core/tlog/note.ts";
import { planConsistency, readLater } from "../../core/tlog/proofs-from-tiles.ts";
import { parsePolicy } from "../../core/tlog/policy.ts";
import type { Signer } from "../../core/tlog/signature.ts";
import { formatAddCheckpoint } from "../../core/tlog/witness.ts";
import { takeCheckpoint } from "./serve.ts";
import type { WitnessState } from "./state.ts";

export interface Followed {
  readonly origin: string;
  readonly size: number;
  /** The number of witnesses that have cosigned this head. */
  readonly witnesses: number;
}

/** Throws if the log did more than grow, or any other check fails. Then nothing was cosigned. `warn` gets what an operator must read. */
export async function followOnce(
  board: Board,
  state: WitnessState,
  signer: Signer,
  now: () => number,
  warn: (words: string) => void,
): Promise<Followed> {
  const [log] = parsePolicy(await getPolicy(board), sha256).logs;
  if (log === undefined) throw new Error(`${board.url}/tlog/policy names no log.`);
  const [known] = state.keysOf(log.key.name) ?? [];
  const shown = formatVerifierKey(log.key);
  // A new key that the known one announced is the same log.
  if (known !== undefined && (await followLogKey(board, formatVerifierKey(known)).catch(() => undefined)) === shown) state.replace(shown);
  state.learn(shown);
  const before = state.shownAt(board.url);
  // The warning comes before the new name is stored: a witness that is killed in between warns twice.
  if (before !== undefined && before !== log.key.name) warn(newName(board.url, before, log.key.name, state));
  state.showsNow(board.url, log.key.name);
  const note = await callText(board, "/tlog/checkpoint", { query: { for: "witness" } });
  const { origin, size } = parseCheckpoint(parseNote(note).text);
  if (origin !== log.key.name)
    throw new Error(`${board.url} shows a head of ${origin}, but its policy names ${log.key.name}. Nothing is cosigned.`);
  const last = state.last(origin)?.size ?? 0;
  if (size < last) throw new Error(`${origin} shows a head of ${size} entries after one of ${last}. Nothing is cosigned.`);
  const proof = await readLater(planConsistency(last, size), (tile) => readTile(board, tile), sha256);
  const answer = await takeCheckpoint(formatAddCheckpoint(last, proof, note), state, signer, now);
  if (answer.status !== 200) throw new Error(`${origin} at ${size} entries is not cosigned: ${answer.body.trim()}`);
  const taken = await board.fetch(`${board.url}/tlog/cosign`, {
    method: "POST",
    headers: { "content-type": "text/plain; charset=utf-8" },
    body: note + answer.body,
  });
  if (!taken.ok) throw new Error(`${board.url} did not accept the cosignature (${taken.status}): ${(await taken.text()).slice(0, 300)}`);
  const { witnesses } = (await taken.json()) as { witnesses: number };
  return { origin, size, witnesses };
}

/** A board may go on under a new name after it lost entries, or hide behind one: only its operator can say which. */
function newName(url: string, before: string, origin: string, state: WitnessState): string {
  const last = state.last(before);
  const lastHead =
    last === undefined ? "" : `\nThe last head of ${before} that was cosigned here has ${last.size} entries; it stays on record.`;
  return [
    "!!! THIS BOARD SHOWS ANOTHER LOG THAN BEFORE !!!",
    `${url} showed ${before}, and now shows ${origin}. Nothing ties the new log to the old one: entries may be missing or changed.${lastHead}`,
    `The new log is cosigned from here on, as a log of its own. Ask the board's operator: after a restore from a backup (\`blackboard operate accept-history\`) this is expected.`,
  ].join("\n");
}
