// Work done beside the page: in workers, so that it stays quick while they dig.
import { type Mine, minedBy, mineHere } from "../client/client.ts";
import { policy } from "./board-html.ts";

const MOST_WORKERS = 4;

export function miner(): Mine {
  const address = document.body.dataset["miner"];
  if (address === undefined) return mineHere;
  const count = Math.max(1, Math.min(MOST_WORKERS, navigator.hardwareConcurrency - 1));
  return minedBy(() => new Worker(policy.createScriptURL(address), { type: "module" }), count);
}
