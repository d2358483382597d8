// Validators for answers: what is shown of the board changes only when its log moves, or with time itself.
import { sha256Hex } from "../core/protocol/sha256.ts";
import { Recent } from "../core/recent.ts";
import type { Clock } from "../ports/clock.ts";
import type { Store } from "../ports/store.ts";

export interface Versions {
  /** A weak validator of the answer at an address, as things stand now. */
  of(url: string): Promise<string>;
  /** The same without waiting, at one moment after the other; undefined where something is due first, or the store has nothing at hand. */
  atHand(url: string): (now: number) => string | undefined;
}

/** Questions whose answer moves with the clock alone. */
const MOVES_WITH_TIME = /[?&](since|until|expiring_within|min_author_age|within|active_within)=|\/api\/expiring/;

/** What of a validator belongs to the address alone; many ask at the same ones. */
interface Address {
  readonly hash: string;
  readonly moves: boolean;
}
export const ADDRESSES_KEPT = 20_000;
export const LONGEST_ADDRESS_KEPT = 300;

export function versions(store: Store, clock: Clock, settle: () => Promise<void>): Versions {
  const known = new Recent<string, Address>(ADDRESSES_KEPT);
  const addressOf = (url: string): Address =>
    url.length <= LONGEST_ADDRESS_KEPT ? known.of(url, () => readAddress(url)) : readAddress(url);
  // Of the oldest answer there may be and of the newest: whichever moves, it is sent once more.
  const tag = ({ hash, moves }: Address, state: string, due: number | null, now: number): string => {
    // Where nothing may be written, what is due stays due, and time alone ends it.
    const moment = moves || (due !== null && due <= now) ? `-${Math.floor(now / 1000)}` : "";
    // A lease that ends may change no status and so write no entry; but then the next thing due is another one.
    return `W/"${state}-${(due ?? 0).toString(36)}-${hash}${moment}"`;
  };
  return {
    async of(url) {
      await settle();
      const { seq, newest, nextDue } = await store.leastState();
      return tag(addressOf(url), seq === newest ? String(seq) : `${seq}.${newest}`, nextDue, clock.now());
    },
    atHand(url) {
      const address = addressOf(url);
      let last = { seq: -1, nextDue: null as number | null, tag: "" };
      return (now) => {
        const state = store.atHand?.state();
        if (state === undefined || (state.nextDue !== null && state.nextDue <= now)) return undefined;
        const { seq, nextDue } = state;
        if (address.moves || last.seq !== seq || last.nextDue !== nextDue)
          last = { seq, nextDue, tag: tag(address, String(seq), nextDue, now) };
        return last.tag;
      };
    },
  };
}

const readAddress = (url: string): Address => ({ hash: sha256Hex(url).slice(0, 12), moves: MOVES_WITH_TIME.test(unescaped(url)) });

/** A parameter's name may be written in escapes. */
const unescaped = (url: string): string =>
  url.replaceAll(/%([0-7][0-9a-f])/gi, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)));
