// Limits connections: a few per address. If all are taken, the address that holds most gives one up.
import { callerOf, countedAs } from "../../board/limits/callers.ts";

/** A connection that may hold a seat. */
export interface Seated {
  /** The client is in the middle of a message, so it is ended only if no other can be. */
  readonly busy: boolean;
}

export interface SeatLimits {
  readonly all: number;
  readonly perAddress: number;
  /** An IPv6 network of 48 bits has 65,536 networks that count as one address each. */
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

  /** `end` ends the connection that has to give up its seat; the seat is free by then. */
  constructor(limits: SeatLimits, end: (guest: Guest) => void) {
    this.#limits = limits;
    this.#end = end;
  }

  get taken(): number {
    return this.#taken.size;
  }

  /** Returns whether there is a seat. A refused client is not counted, however long it stays connected. */
  take(address: string | undefined, guest: Guest): boolean {
    const place = placeOf(address);
    const of = (name: keyof Place): number => [...this.#taken.values()].filter((one) => one[name] === place[name]).length;
    const held = of("network");
    if (of("caller") >= this.#limits.perAddress || held >= this.#limits.perNetwork) return false;
    if (this.#taken.size >= this.#limits.all && !this.#evict(held)) return false;
    this.#taken.set(guest, place);
    return true;
  }

  leave(guest: Guest): void {
    this.#taken.delete(guest);
  }

  /** Ends a connection of the network that holds most, if it then still holds as many as the network of the new client. */
  #evict(held: number): boolean {
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
