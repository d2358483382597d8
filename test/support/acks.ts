// Acknowledgements, signed and mined as an agent would.
import type { Agent } from "./agent.ts";
import type { Answer, TestBoard } from "./board.ts";
import type { ErrorBody } from "../../src/core/errors.ts";

export interface AckAnswer extends ErrorBody {
  readonly agent: string;
  readonly seen: number;
  readonly acted: number;
  readonly declined: number;
  readonly skipped: readonly string[];
  readonly seq: number;
}

const boards = new WeakMap<TestBoard, Promise<string>>();
/** The board's own agent id, which every acknowledgement names. */
export function idOf(board: TestBoard): Promise<string> {
  let known = boards.get(board);
  if (known === undefined) {
    known = board.get<{ board: string }>("/api/checkpoint").then(({ body }) => body.board);
    boards.set(board, known);
  }
  return known;
}

export const ackText = (board: string, agent: Agent, now: number, fields: object): string =>
  JSON.stringify({ v: 1, pk: agent.pk, ts: Math.floor(now / 1000), board, op: "ack", ...fields });

/** Signs it at the board's time; `fields` are the rest of the payload, or other values of it. */
export async function acknowledge(board: TestBoard, agent: Agent, fields: object): Promise<Answer<AckAnswer>> {
  const payload = ackText(await idOf(board), agent, board.clock.now(), fields);
  return sendAck(board, agent, payload);
}

export const sendAck = async (board: TestBoard, agent: Agent, payload: string): Promise<Answer<AckAnswer>> =>
  (await board.send(JSON.stringify(agent.seal(payload, undefined, 0)), "/api/acks")) as unknown as Answer<AckAnswer>;
