// Who may hold a connection: few for each address, and where all are taken, whoever holds most makes room for others.
import { callerOf, countedAs } from "../../board/limits/callers.ts";

/** What may hold one. */
export interface Seated {
  /** It is in the middle of a message: ended only where no other can be. */
  readonly busy: boolean;
}

export interface SeatLimits {
  readonly all: number;
  readonly perAddress: number;
  /** One IPv6 network of 48 bits has 65,536 of those that count as one address. */
  readonly perNetwork: number;
}

interface Place {
  readonly caller: string;
  readonly network: string;
}

export class Seats<Guest extends Seated> {
  readonly #limits: SeatLimits;
  readonly #end: (guest: Guest) => void;
  /** Oldest first. */
  readonly #taken = new Map<Guest, Place>();

  /** `end` ends the connection of one that has to make room; its seat is free by then. */
  constructor(limits: SeatLimits, end: (guest: Guest) => void) {
    this.#limits = limits;
    this.#end = end;
  }

  get taken(): number {
    return this.#taken.size;
  }

  /** Whether there is a seat for it; who is refused is not counted, however long it stays on the line. */
  take(address: string | undefined, guest: Guest): boolean {
    const place = placeOf(address);
    const of = (name: keyof Place): number => [...this.#taken.values()].filter((one) => one[name] === place[name]).length;
    const held = of("network");
    if (of("caller") >= this.#limits.perAddress || held >= this.#limits.perNetwork) return false;
    if (this.#taken.size >= this.#limits.all && !this.#makeRoom(held)) return false;
    this.#taken.set(guest, place);
    return true;
  }

  leave(guest: Guest): void {
    this.#taken.delete(guest);
  }

  /** Where somebody would still hold as many as the newcomer then has, its oldest connection goes. */
  #makeRoom(held: number): boolean {
    const byNetwork = Map.groupBy(this.#taken, ([, { network }]) => network);
    const [most = []] = [...byNetwork.values()].toSorted((a, b) => b.length - a.length);
    const [guest] = most.find(([one]) => !one.busy) ?? most[0] ?? [];
    if (guest === undefined || most.length < held + 2) return false;
    this.leave(guest);
    this.#end(guest);
    return true;
  }
}

function placeOf(address: string | undefined): Place {
  const caller = callerOf(address);
  const [, network = caller] = countedAs(caller);
  return { caller, network };
}
