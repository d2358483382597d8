// Which inbox items about a message are kept. Anybody can make the board report changes of one message as often as the limits of writing
// allow; the message must still end in a short write.
import { LIMITS } from "../protocol/limits.ts";
import type { Handling } from "./ack-state.ts";
import type { InboxChange } from "./inbox-types.ts";

const isAckBy =
  (actor: InboxChange["actor"]) =>
  (one: InboxChange): boolean =>
    one.reason === "ack" && actor != null && one.actor === actor;
const isStatus = ({ reason }: InboxChange): boolean => reason === "status" || reason === "lease";

/** What this agent, if it is not the addressee, said last about a message with these items. */
export const lastHandling = (items: readonly InboxChange[], actor: string): Handling | undefined =>
  items.findLast(isAckBy(actor))?.became as Handling | undefined;

/** The items about a message after one more, oldest first. Of what an agent acknowledged, only the newest is kept. */
export function withItem<Item extends InboxChange>(items: readonly Item[], item: Item): readonly Item[] {
  if (isStatus(item)) return [...withRoomForStatus(items, item.agent), item];
  const isReplaced = isAckBy(item.actor);
  return [...items.filter((one) => !isReplaced(one)), item];
}

function withRoomForStatus<Item extends InboxChange>(items: readonly Item[], agent: string): readonly Item[] {
  const all = items.filter(isStatus);
  const own = all.filter((one) => one.agent === agent);
  if (own.length >= LIMITS.inbox_statuses) return items.filter((one) => one !== own[0]);
  return all.length < LIMITS.inbox_statuses_per_message ? items : items.filter((one) => one !== all[0]);
}
