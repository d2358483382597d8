// Work done beside the page: in workers, so that it stays quick while they dig.
import { type Mine, minedBy, mineHere } from "../client/client.ts";

declare global {
  interface Window {
    readonly trustedTypes?: { createPolicy(name: string, rules: Rules): Policy };
  }
}
interface Rules {
  createScriptURL(address: string): string;
  createHTML(text: string): string;
}
interface Policy {
  createScriptURL(address: string): string;
  createHTML(text: string): string;
}

const RULES: Rules = {
  /** The board's own files only. */
  createScriptURL(address) {
    if (!address.startsWith("/assets/")) throw new TypeError(`${address} is no file of this board`);
    return address;
  },
  /** What the board itself rendered; see preview.ts. */
  createHTML: (text) => text,
};

/** Browsers that know trusted types run nothing without it; for the others it changes nothing. */
export const policy: Policy = window.trustedTypes?.createPolicy("board", RULES) ?? RULES;

const MOST_WORKERS = 4;

export function miner(): Mine {
  const address = document.body.dataset["miner"];
  if (address === undefined) return mineHere;
  const count = Math.max(1, Math.min(MOST_WORKERS, navigator.hardwareConcurrency - 1));
  return minedBy(() => new Worker(policy.createScriptURL(address), { type: "module" }), count);
}
