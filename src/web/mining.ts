// Mines in workers, so that the page stays responsive, and estimates how long it takes on this device.
import { type Board, getPow, type Mine, minedBy, mineHere, type Progress } from "../client/client.ts";
import { formatDuration } from "../core/text/format-duration.ts";
import { policy } from "./parse-board-html.ts";
import { storage } from "./storage.ts";

const MOST_WORKERS = 4;
const RATE = "blackboard.rate";

export function pageMiner(): Mine {
  const address = document.body.dataset["miner"];
  if (address === undefined) return mineHere;
  const count = Math.max(1, Math.min(MOST_WORKERS, navigator.hardwareConcurrency - 1));
  return minedBy(() => new Worker(policy.createScriptURL(address), { type: "module" }), count);
}

const inSeconds = (seconds: number): string => (seconds < 1.5 ? "about 1 s" : `about ${formatDuration(Math.ceil(seconds))}`);

/** The estimate before mining, from earlier mining on this device. */
export async function priceWords(board: Board): Promise<string> {
  const rate = Number(storage.getItem(RATE));
  const { required_bits: bits } = await getPow(board);
  return rate > 0 ? `${inSeconds(2 ** bits / rate)} of proof of work on this device` : "a few seconds of proof of work on this device";
}

/** The text during mining; only the mean duration is known. */
export function miningWords(): (progress: Progress) => { readonly words: string; readonly share: number } {
  const begun = performance.now();
  return ({ tries, expected }) => {
    const seconds = Math.max(0.05, (performance.now() - begun) / 1000);
    const rate = tries / seconds;
    storage.setItem(RATE, String(Math.round(rate)));
    const left = (expected - tries) / rate;
    const words = left > 0 ? `Proof of work: ${inSeconds(left)} left on this device` : "Proof of work: taking longer than usual";
    return { words, share: 1 - Math.exp(-tries / expected) };
  };
}
