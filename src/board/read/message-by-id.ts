// One message by its id or a unique prefix of it.
import { ERRORS, Refusal } from "../../core/errors.ts";
import type { Tombstone } from "../../core/message/message-state.ts";
import { MESSAGE_ID_CHARS } from "../../core/protocol/encoding.ts";
import { LIMITS } from "../../core/protocol/limits.ts";
import { iso } from "../../core/protocol/time.ts";
import { DAY_MS } from "../../core/durations.ts";
import type { Clock } from "../../ports/clock.ts";
import type { LogReads, MessageReads, StoredMessage } from "../../ports/store.ts";
import { idsMeant } from "./resolve-agents-and-messages.ts";

const CANDIDATES = 5;

export type FindMessage = (idOrPrefix: string) => Promise<StoredMessage>;
/** The seq of the `create` entry of a message, as long as the entry is kept, even if the tombstone is deleted. */
export type LocateMessage = (idOrPrefix: string) => Promise<number>;

type Reads = Pick<MessageReads, "find" | "idsByPrefix">;

export function messageFinder(store: Reads, clock: Clock): FindMessage {
  const resolve = prefixResolver(store);
  return async (idOrPrefix) => {
    const now = clock.now();
    const id = await resolve(idOrPrefix, now);
    const found = await store.find(id, now);
    if (found !== undefined && "stored" in found) return found.stored;
    // A quiet board may store a tombstone for longer than it shows it.
    const forgotten = found === undefined || found.tombstone.at <= now - LIMITS.gone_days * DAY_MS;
    throw forgotten ? new Refusal("not_found", `There is no message ${id}.`) : goneRefusal(found.tombstone);
  };
}

export function messageLocator(store: Reads & Pick<LogReads, "pastSeq" | "pastIds">, clock: Clock): LocateMessage {
  const resolve = prefixResolver(store, (prefix) => store.pastIds(prefix, CANDIDATES + 1));
  return async (idOrPrefix) => {
    const now = clock.now();
    const id = await resolve(idOrPrefix, now);
    const found = await store.find(id, now);
    if (found !== undefined) return "tombstone" in found ? found.tombstone.seq : found.stored.state.seq;
    const seq = await store.pastSeq(id);
    if (seq === undefined) throw new Refusal("not_found", `There is no message ${id}, and the log keeps no entry of it.`, UNPROVED);
    return seq;
  };
}

const UNPROVED = {
  hint: `The log keeps entries for ${LIMITS.log_days} days; a proof that you fetch during that time never becomes invalid. Entries about aliases, keys and acknowledgements have their proof at /api/changes/{seq}/proof; those about keys are never deleted.`,
};

/** `forgotten`: returns candidates if no live or ended message has the prefix. */
function prefixResolver(
  store: Reads,
  forgotten: (prefix: string) => Promise<readonly string[]> = async () => [],
): (idOrPrefix: string, now: number) => Promise<string> {
  return async (prefix, now) => {
    if (prefix.length === MESSAGE_ID_CHARS) return prefix;
    const known = await idsMeant(store, prefix, CANDIDATES + 1, now);
    const candidates = known.length > 0 ? known : await forgotten(prefix);
    const [first, second] = candidates;
    if (first === undefined) throw new Refusal("not_found", `No message id starts with ${prefix}.`);
    if (second !== undefined) {
      throw new Refusal("ambiguous_id", `More than one message id starts with ${prefix}.`, {
        details: { candidates: candidates.slice(0, CANDIDATES) },
      });
    }
    return first;
  };
}

const ENDED = "It will not come back; its entries stay in /api/changes.";
const HINTS = {
  expired: ENDED,
  retracted: ENDED,
  removed: `${ERRORS.removed.hint} Its entries stay in /api/changes.`,
} as const;

function goneRefusal({ id, kind, root, reason, at, statement, restored }: Tombstone): Refusal {
  const by = kind === "email" ? "the agent that it was sent to" : "its author";
  const words = { expired: "has expired", retracted: `was withdrawn by ${by}`, removed: "was removed by the operator" } as const;
  return new Refusal(reason, `The message ${id} ${words[reason]}.`, {
    status: 410,
    about: id,
    thread: root === id ? undefined : root,
    hint: restored ? "The removal was reversed: its author may post the same payload again." : HINTS[reason],
    details: { at: iso(at), ...(statement === null ? {} : { statement: JSON.parse(statement) as unknown }) },
  });
}
