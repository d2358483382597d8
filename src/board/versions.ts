// Validators for answers: what is shown of the board changes only when its log moves, or with time itself.
import { sha256Hex } from "../core/protocol/sha256.ts";
import type { Clock } from "../ports/clock.ts";
import type { Store } from "../ports/store.ts";

/** Questions whose answer moves with the clock alone. */
const MOVES_WITH_TIME = /[?&](since|until|expiring_within|min_author_age|within|active_within)=|\/api\/expiring/;

/** What of a validator belongs to the address alone; many ask at the same ones. */
interface Address {
  readonly hash: string;
  readonly moves: boolean;
}
const ADDRESSES_KEPT = 2000;

export function versions(store: Store, clock: Clock, settle: () => Promise<void>): (url: string) => Promise<string> {
  const known = new Map<string, Address>();
  const addressOf = (url: string): Address => {
    const found = known.get(url);
    if (found !== undefined) return found;
    const address = { hash: sha256Hex(url).slice(0, 12), moves: MOVES_WITH_TIME.test(unescaped(url)) };
    if (known.size >= ADDRESSES_KEPT) known.clear();
    known.set(url, address);
    return address;
  };
  return async (url) => {
    await settle();
    // Of the oldest answer there may be and of the newest: whichever moves, it is sent once more.
    const { seq, newest, nextDue: due } = await store.leastState();
    // A lease that ends may change no status and so write no entry; but then the next thing due is another one.
    const now = clock.now();
    // Where nothing may be written, what is due stays due, and time alone ends it.
    const { hash, moves } = addressOf(url);
    const moment = moves || (due !== null && due <= now) ? `-${Math.floor(now / 1000)}` : "";
    return `W/"${seq === newest ? seq : `${seq}.${newest}`}-${(due ?? 0).toString(36)}-${hash}${moment}"`;
  };
}

/** A parameter's name may be written in escapes. */
const unescaped = (url: string): string =>
  url.replaceAll(/%([0-7][0-9a-f])/gi, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)));
