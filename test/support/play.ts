// Plays one step of a random history on a board and on the model.
import { messageId } from "../../src/core/protocol/message-and-agent-ids.ts";
import type { Payload } from "../../src/core/protocol/payload.ts";
import { DAY_MS } from "../../src/core/durations.ts";
import { type Step, written } from "./acts.ts";
import type { BareBoard } from "./bare-board.ts";
import type { Model } from "./model.ts";

/** A board forgets what ended more than 30 days ago; the model never forgets. */
const LONGEST_MS = 20 * DAY_MS;

/** Moves time or posts; returns the results of the board and of the model. */
export function play(board: BareBoard, model: Model, one: Step, n: number, sweeps: boolean): [string, string] | undefined {
  if (one.do === "wait" || one.do === "wait_for") {
    const moments = model.moments();
    const wanted = one.do === "wait" ? model.now + one.ms : (moments[one.n % Math.max(1, moments.length)] ?? model.now) + one.offset;
    const goal = Math.min(wanted, model.began + LONGEST_MS);
    if (sweeps) for (const at of moments.filter((at) => at < goal)) board.sweepAll(at);
    model.now = Math.max(model.now, goal);
    if (sweeps) board.sweepAll(model.now);
    return undefined;
  }
  const { author, text } = written(model, one, n);
  return [board.post(text, model.now), model.post(messageId(text), author, JSON.parse(text) as Payload)];
}
