// One delivery, for as long as the courier runs: read, hand over, remember; again where it failed, and set aside what fails five times.
import { MESSAGE_REASONS } from "../core/message/inbox-change.ts";
import { iso } from "../core/protocol/time.ts";
import { plural } from "../core/text/plural.ts";
import { backoffMs, pause } from "../client/pause.ts";
import type { AckDelivered } from "./acks.ts";
import { type Adapter, type Delivered, type Failure, nameOf, type Parcel } from "./adapter.ts";
import type { CourierReport } from "./report.ts";
import type { Source } from "./source.ts";
import type { DeliveryState, StateFile } from "./state.ts";

/** Reasons of messages that came from others: the rest is about the agent's own. */
const ARRIVED: ReadonlySet<string> = new Set(MESSAGE_REASONS);

/** So often a message fails before it is set aside. */
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
  readonly report: CourierReport;
  readonly now: () => number;
}

/** Ends when `signal` does, and otherwise only with what it cannot mend. */
export async function deliver(parts: DeliverParts, signal: AbortSignal): Promise<void> {
  const { source, adapter, states, acks, report } = parts;
  let state = await begin(parts, signal);
  /** Failures in a row, whatever they were of. */
  let failures = 0;
  const keep = (next: DeliveryState): void => {
    // Whatever is not written yet when the process dies is delivered again.
    if (next !== state) states.write(next);
    state = next;
  };

  while (!signal.aborted) {
    keep(await acks.send(state, signal));
    const { parcels, upTo } = await source.after(state, signal);
    const [first] = parcels;
    if (first === undefined) {
      if (upTo !== state.cursor) keep({ ...state, cursor: upTo, within: undefined, failed: undefined });
      continue;
    }
    const times = timesOf(state, first);
    // Alone, once it has failed: it may be another one of the batch that cannot be handled.
    const handed = times > 0 ? [first] : parcels;
    const result = await adapter({ board: parts.board, agent: parts.agent, attempt: times + 1, parcels: handed }, signal);
    const done = handed.slice(0, result.acknowledged);
    if (done.length > 0) {
      failures = 0;
      report.tell(`delivered ${plural(done.length, "message")}, up to seq ${done.at(-1)?.place.cursor ?? 0}`);
      const whole = done.length === parcels.length;
      keep({
        ...(acks.wanted ? acknowledged(state, done, parcels[done.length], result) : state),
        within: undefined,
        ...(whole ? { cursor: upTo } : done.at(-1)?.place),
        failed: undefined,
      });
    }
    const next = handed[done.length];
    if (next === undefined || result.failure === undefined) continue;
    const standing = afterFailure(parts, state, next, result.failure);
    keep(standing.state);
    if (standing.isSetAside) continue;
    failures++;
    const asked = (result.failure.retryAfterS ?? 0) * 1000;
    await pause(Math.min(Math.max(backoffMs(failures, parts.retryMs, parts.retryMostMs), asked), parts.retryMostMs), signal);
  }
}

async function begin({ board, agent, from, source, states, report }: DeliverParts, signal: AbortSignal): Promise<DeliveryState> {
  const kept = states.read();
  if (kept !== undefined && kept.board === board && kept.agent === agent) {
    report.tell(`goes on after seq ${kept.cursor}`);
    return kept;
  }
  if (kept !== undefined) report.tell(`what it remembers is of ${kept.agent} at ${kept.board}: it begins anew`);
  const cursor = await source.beginning(from, signal);
  const state: DeliveryState = { v: 1, board, agent, cursor, unacked: [] };
  states.write(state);
  report.tell(`begins after seq ${cursor}`);
  return state;
}

const timesOf = ({ failed }: DeliveryState, one: Parcel): number =>
  failed?.seq === one.place.cursor && (failed.name ?? nameOf(one)) === nameOf(one) ? failed.times : 0;

/** What was delivered is to be acknowledged, as the receiver said where it said anything. */
function acknowledged(state: DeliveryState, done: readonly Parcel[], next: Parcel | undefined, { said }: Delivered): DeliveryState {
  const declined = new Map((said?.declined ?? []).map(({ id, why }) => [id, why]));
  const acted = said === undefined ? undefined : new Set(said.acted);
  const unacked = done.flatMap(({ message: { id }, reason, place: { cursor } }) => {
    // What the same entry of the log tells of others is still to come.
    const seq = next?.place.cursor === cursor ? cursor - 1 : cursor;
    if (!ARRIVED.has(reason)) return [{ seq }];
    const why = declined.get(id);
    if (why !== undefined) return [{ id, seq, why }];
    return acted === undefined || acted.has(id) ? [{ id, seq }] : [];
  });
  return { ...state, unacked: [...state.unacked, ...unacked] };
}

function afterFailure(parts: DeliverParts, state: DeliveryState, one: Parcel, { words, counts }: Failure) {
  const { report, states, now } = parts;
  const { message, place } = one;
  const seq = place.cursor;
  const before = timesOf(state, one);
  const times = before + (counts ? 1 : 0);
  if (times < TRIES) {
    report.tell(`not delivered, seq ${seq} (${counts ? `failure ${times} of ${TRIES}` : "does not count"}): ${words}`);
    return { state: times === before ? state : { ...state, failed: { seq, name: nameOf(one), times } }, isSetAside: false };
  }
  // A crash after this line sets it aside once more; before it, it is tried once more.
  states.setAside({ id: message.id, seq, at: iso(now()), times, why: words });
  report.tell(`set aside ${message.id}, seq ${seq}, after ${times} failures: ${words}`);
  return { state: { ...state, within: undefined, ...place, failed: undefined }, isSetAside: true };
}
