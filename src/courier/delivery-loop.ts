// The loop of one delivery: read, hand over, save the state; try again after a failure, and set aside what failed five times.
import { MESSAGE_REASONS } from "../core/message/inbox-types.ts";
import { iso } from "../core/protocol/time.ts";
import { plural } from "../core/text/plural.ts";
import { backoffMs, pause } from "../client/pause.ts";
import type { AckDelivered } from "./acks.ts";
import { type Adapter, type Delivered, type Failure, type InboxPlace, nameOf, type Parcel } from "./adapter.ts";
import type { DeliveredBook } from "./delivered.ts";
import { deliveredName, isStillToDeliver, markAt, stateAfterFork } from "./detect-board-restore.ts";
import type { Source } from "./source.ts";
import type { DeliveryState, StateFile } from "./state.ts";

/** Reasons of messages from others; all other reasons are about the agent's own messages. */
const ARRIVED: ReadonlySet<string> = new Set(MESSAGE_REASONS);

/** After this many failures a message is set aside. */
export const TRIES = 5;

export interface DeliverParts {
  readonly board: string;
  readonly agent: string;
  readonly from: "unread" | "now" | "all" | undefined;
  readonly retryMs: number;
  readonly retryMostMs: number;
  readonly source: Source;
  readonly adapter: Adapter;
  readonly states: StateFile;
  readonly acks: AckDelivered;
  readonly report: (words: string) => void;
  readonly now: () => number;
}

/** Runs until `signal` aborts it; rejects with errors that trying again cannot fix. */
export async function deliver(parts: DeliverParts, signal: AbortSignal): Promise<void> {
  const { source, adapter, states, acks, report, now } = parts;
  let { state, book } = await begin(parts, signal);
  /** Failures in a row, of any message. */
  let failures = 0;
  const keep = (next: DeliveryState): void => {
    // A crash before this line delivers the same messages again.
    if (next !== state) states.write(next);
    state = next;
  };

  while (!signal.aborted) {
    keep(await acks.send(state, signal));
    const { parcels: arrived, upTo } = await source.after(state, signal);
    // Checked after reading: if the board was restored meanwhile, what was read is not delivered.
    const back = await stateAfterFork({ source, book, report }, state, signal);
    const mark = back === undefined ? await markAt(source, upTo.cursor, state, signal) : undefined;
    if (back !== undefined) keep(back);
    if (back !== undefined || mark === "absent") continue;
    const parcels = arrived.filter((one) => isStillToDeliver(one, state, book));
    const [first] = parcels;
    if (first === undefined) {
      if (upTo.cursor !== state.cursor || upTo.within !== state.within || state.mark?.hash !== mark?.hash)
        keep({ ...state, within: undefined, ...upTo, mark, failed: undefined });
      continue;
    }
    const times = timesOf(state, first);
    // Once a message has failed it is sent alone, because another one of the batch may be the cause.
    const handed = times > 0 ? [first] : parcels;
    const result = await adapter({ board: parts.board, agent: parts.agent, attempt: times + 1, parcels: handed }, signal);
    const done = handed.slice(0, result.acknowledged);
    const passed = (some: readonly Parcel[], place: InboxPlace) => ({
      within: undefined,
      ...place,
      mark,
      lines: book.add(some.map(deliveredName), place, mark, now()),
      failed: undefined,
    });
    if (done.length > 0) {
      failures = 0;
      report(`delivered ${plural(done.length, "message")}, up to seq ${done.at(-1)?.place.cursor ?? 0}`);
      const place = done.length === parcels.length ? upTo : (done.at(-1)?.place ?? upTo);
      const open = parcels[done.length]?.place.cursor ?? (upTo.within === undefined ? undefined : upTo.cursor);
      keep({ ...(acks.wanted ? acknowledged(state, done, open, result) : state), ...passed(done, place) });
    }
    const next = handed[done.length];
    if (next === undefined || result.failure === undefined) continue;
    const failed = afterFailure(parts, state, next, result.failure);
    keep(failed === undefined ? { ...state, ...passed([next], next.place) } : failed);
    if (failed === undefined) continue;
    failures++;
    const asked = (result.failure.retryAfterS ?? 0) * 1000;
    await pause(Math.min(Math.max(backoffMs(failures, parts.retryMs, parts.retryMostMs), asked), parts.retryMostMs), signal);
  }
}

interface Begun {
  readonly state: DeliveryState;
  readonly book: DeliveredBook;
}

async function begin(parts: DeliverParts, signal: AbortSignal): Promise<Begun> {
  const { board, agent, from, source, states, report, now } = parts;
  const saved = states.read();
  if (saved !== undefined && saved.board === board && (await source.isOf(saved.agent, signal))) {
    report(`continues after seq ${saved.cursor}`);
    return { state: { ...saved, agent }, book: states.delivered.open(saved.lines ?? 0, now()) };
  }
  if (saved !== undefined) report(`the saved state is for ${saved.agent} at ${saved.board}, so it is not used`);
  const cursor = await source.beginning(from, signal);
  const found = cursor === 0 ? undefined : await source.entryAt(cursor, signal);
  const mark = found?.state === "there" ? { seq: cursor, hash: found.hash } : undefined;
  const book = states.delivered.open(0, now());
  const state: DeliveryState = {
    v: 1,
    board,
    agent,
    cursor,
    unacked: [],
    mark,
    ...(found?.state === "there" ? { began: { seq: cursor, at: found.at } } : {}),
    lines: book.add([], { cursor }, mark, now()),
  };
  states.write(state);
  report(`begins after seq ${cursor}`);
  return { state, book };
}

const timesOf = ({ failed }: DeliveryState, one: Parcel): number =>
  failed?.seq === one.place.cursor && (failed.name ?? nameOf(one)) === nameOf(one) ? failed.times : 0;

/** Adds the delivered messages to those to acknowledge, as acted on or declined if the receiver said so. */
function acknowledged(state: DeliveryState, done: readonly Parcel[], open: number | undefined, { said }: Delivered): DeliveryState {
  const declined = new Map((said?.declined ?? []).map(({ id, why }) => [id, why]));
  const acted = said === undefined ? undefined : new Set(said.acted);
  const unacked = done.flatMap(({ message: { id }, reason, place: { cursor } }) => {
    // The same log entry has changes to other messages, which are not delivered yet.
    const seq = open === cursor ? cursor - 1 : cursor;
    if (!ARRIVED.has(reason)) return [{ seq }];
    const why = declined.get(id);
    if (why !== undefined) return [{ id, seq, why }];
    return acted === undefined || acted.has(id) ? [{ id, seq }] : [];
  });
  return { ...state, unacked: [...state.unacked, ...unacked] };
}

/** The state for the next attempt; undefined if the message was set aside. */
function afterFailure(parts: DeliverParts, state: DeliveryState, one: Parcel, { words, counts }: Failure): DeliveryState | undefined {
  const { report, states, now } = parts;
  const { message, place } = one;
  const seq = place.cursor;
  const before = timesOf(state, one);
  const times = before + (counts ? 1 : 0);
  if (times < TRIES) {
    report(`not delivered, seq ${seq} (${counts ? `failure ${times} of ${TRIES}` : "does not count"}): ${words}`);
    return times === before ? state : { ...state, failed: { seq, name: nameOf(one), times } };
  }
  // A crash before this line tries the message once more; a crash after it sets the message aside once more.
  states.setAside({ id: message.id, seq, at: iso(now()), times, why: words });
  report(`set aside ${message.id}, seq ${seq}, after ${times} failures: ${words}`);
  return undefined;
}
