// The results of hostile requests: how many got which answer, and which of them did harm.
import { SEED } from "../../test/support/random.ts";
import { count } from "../part.ts";
import type { Hold } from "./event-loop-stalls.ts";
import type { FuzzRequest } from "./fuzz-requests.ts";

const SHOWN = 8;
const SHOWN_BYTES = 700;

export class Incidents {
  readonly #request: (number: number) => FuzzRequest;
  readonly #outcomes = new Map<string, number>();
  readonly #shown: string[] = [];
  /** When each request was under way, by its number; mails have numbers of their own. */
  readonly #times = new Map<string, readonly [from: number, to: number]>();
  /** Numbers of requests with an answer that no request may get. */
  readonly harmful: number[] = [];
  failures = 0;

  constructor(request: (number: number) => FuzzRequest) {
    this.#request = request;
  }

  answered(number: number, outcome: string, from: number, to: number): void {
    this.#note(outcome);
    this.#times.set(String(number), [from, to]);
    if (!isHarm(outcome)) return;
    this.harmful.push(number);
    this.fail(`answered ${outcome} after ${to - from} ms`, this.shown(number));
  }

  mailed(number: number, outcome: string, from: number): void {
    this.#note(`smtp ${outcome}`);
    this.#times.set(`mail ${number}`, [from, Date.now()]);
    // 451 is for mail what 5xx is for HTTP: a fault of the board.
    if (outcome === "451") this.fail(`mail ${number} of seed ${SEED} answered ${outcome}`, "");
  }

  held(hold: Hold): void {
    const suspects = [...this.#times].filter(([, [from, to]]) => from <= hold.end && to >= hold.from).map(([number]) => number);
    const shown = suspects.filter((number) => !number.startsWith("mail")).map((number) => this.shown(Number(number), SHOWN_BYTES / 4));
    this.fail(
      `the loop was held for ${Math.round(hold.ms)} ms of processor time, ${Math.round(hold.wallMs)} on the clock, ${Math.round(hold.waitedMs)} of them for want of a core`,
      `under way were ${suspects.join(", ")}\n${shown.join("\n")}`,
    );
  }

  fail(what: string, shown: string): void {
    this.failures++;
    if (this.#shown.length < SHOWN) this.#shown.push(`${what}: ${shown}`);
  }

  tell(): void {
    for (const one of this.#shown) console.log(`--- ${one}`);
  }

  outcomes(): string {
    const sorted = [...this.#outcomes].sort(([a], [b]) => a.localeCompare(b));
    return sorted.map(([outcome, n]) => `${count(n)} x ${outcome}`).join(", ");
  }

  #note(outcome: string): void {
    this.#outcomes.set(outcome, (this.#outcomes.get(outcome) ?? 0) + 1);
  }

  /** The request with that number, as text. */
  shown(number: number, bytes = SHOWN_BYTES): string {
    return `request ${number} of seed ${SEED} ${shownRequest(this.#request(number), bytes)}`;
  }
}

/** A fault of the board, or no answer at all. */
export const isHarm = (outcome: string): boolean => outcome.startsWith("5") || outcome === "silent";

export function shownRequest({ kind, pieces, end }: FuzzRequest, bytes = SHOWN_BYTES): string {
  const text = Buffer.concat(pieces).toString("latin1");
  return `(${kind}; ends with ${end}; ${text.length} bytes): ${JSON.stringify(text.slice(0, bytes))}`;
}
