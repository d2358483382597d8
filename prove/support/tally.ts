// Counts how often each answer occurred.
import { count } from "../part.ts";

export class Tally {
  readonly #heard = new Map<string, number>();

  add(answer: string): void {
    this.#heard.set(answer, (this.#heard.get(answer) ?? 0) + 1);
  }

  get answers(): readonly string[] {
    return [...this.#heard.keys()];
  }

  get text(): string {
    return [...this.#heard].map(([answer, n]) => `${count(n)} x ${answer}`).join(", ") || "nothing";
  }
}
