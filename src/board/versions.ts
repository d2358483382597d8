// Validators for answers: what is shown of the board changes only when its log moves, or with time itself.
import { sha256Hex } from "../core/protocol/sha256.ts";
import type { Clock } from "../ports/clock.ts";
import type { Store } from "../ports/store.ts";

/** Questions whose answer moves with the clock alone. */
const MOVES_WITH_TIME = /[?&](since|until|expiring_within|min_author_age|within|active_within)=|\/api\/expiring/;

export function versions(store: Store, clock: Clock, settle: () => Promise<void>): (url: string) => Promise<string> {
  return async (url) => {
    await settle();
    const { seq } = await store.head();
    // A lease that ends may change no status and so write no entry; but then the next thing due is another one.
    const due = await store.nextDue();
    const now = clock.now();
    // Where nothing may be written, what is due stays due, and time alone ends it.
    const moves = MOVES_WITH_TIME.test(unescaped(url)) || (due !== null && due <= now);
    const moment = moves ? `-${Math.floor(now / 1000)}` : "";
    return `W/"${seq}-${(due ?? 0).toString(36)}-${sha256Hex(url).slice(0, 12)}${moment}"`;
  };
}

/** A parameter's name may be written in escapes. */
const unescaped = (url: string): string =>
  url.replaceAll(/%([0-7][0-9a-f])/gi, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)));
