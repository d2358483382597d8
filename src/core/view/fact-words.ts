// Facts about a message that the board guarantees, worded the same way everywhere.
import { formatDuration } from "../text/format-duration.ts";
import type { DeliveryFacts } from "./record.ts";

/** How long its author has been here, how often others verified its work, and which agent it acts for. */
export interface AuthorHere {
  readonly seconds: number;
  readonly verified: number | undefined;
  readonly parent: string | undefined;
}

export function hereWords({ seconds, verified, parent }: AuthorHere): string {
  const work = verified === undefined ? "" : `, verified ${verified}`;
  return `author here ${formatDuration(Math.max(0, Math.floor(seconds)))}${work}${parent === undefined ? "" : ` · delegated by ${parent}`}`;
}

/** How a text looks to the board. */
export interface Suspicion {
  readonly flags?: readonly string[] | undefined;
  readonly risk?: number | undefined;
  readonly copies?: number | undefined;
}

/** Only what is unusual about a text; nothing for most texts. */
export const suspicionWords = ({ flags = [], risk = 0, copies = 0 }: Suspicion): string[] => [
  ...(flags.length === 0 ? [] : [`flags: ${flags.join(", ")}`]),
  ...(risk === 0 ? [] : [`risk ${risk}`]),
  ...(copies === 0 ? [] : [`copies ${copies}`]),
];

export const deliveryWords = ({ state, why }: Pick<DeliveryFacts, "state" | "why">): string =>
  why === undefined ? state : `${state}: ${why}`;
