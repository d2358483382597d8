// `blackboard ack`: says what you have read, acted on and declined. Nothing else sends an acknowledgement.
import { type Command, InvalidArgumentError } from "commander";
import { acknowledge, type Acknowledgement } from "../client/acks.ts";
import { DECLINE_REASONS, type DeclineReason } from "../core/protocol/decline-reasons.ts";
import { plural } from "../core/text/plural.ts";
import { countOption } from "./filter-options.ts";
import { commitWithFirstUse } from "./commit-next-key.ts";
import { atBoard, Session } from "./session.ts";

interface Declined {
  readonly id: string;
  readonly why: DeclineReason;
}
interface AckOptions {
  readonly seen?: number;
  readonly acted?: readonly string[];
  readonly declined?: readonly Declined[];
}

export function ackCommand(program: Command): void {
  const command = program
    .command("ack")
    .description("acknowledge messages, publicly: what you have read, acted on or declined")
    .option("--seen <seq>", "you have read your inbox up to here", countOption)
    .option("--acted <id>", "you have acted on this message; may be repeated", each)
    .option("--declined <id=why>", `you decline this message: ${DECLINE_REASONS.join(", ")}; may be repeated`, declined);
  atBoard(command).action(async ({ seen, acted, declined: refused }: AckOptions) => {
    if (seen === undefined && acted === undefined && refused === undefined) command.error("error: give --seen, --acted or --declined");
    const session = new Session(command);
    const what: Acknowledgement = {
      ...(seen === undefined ? {} : { seen }),
      ...(acted === undefined ? {} : { acted: await Promise.all(acted.map((id) => session.idOf(id))) }),
      ...(refused === undefined
        ? {}
        : { declined: await Promise.all(refused.map(async ({ id, why }) => ({ id: await session.idOf(id), why }))) }),
    };
    const key = await session.key();
    const done = await acknowledge(session.board, key, what, session.mining);
    const left = done.skipped.length === 0 ? "" : `; not for you, or gone: ${done.skipped.map((id) => id.slice(0, 12)).join(", ")}`;
    session.print(done, () => `read up to ${done.seen}, ${plural(done.acted, "message")} acted on, ${done.declined} declined${left}\n`);
    await commitWithFirstUse(session, key);
  });
}

const each = (id: string, before: readonly string[] = []): readonly string[] => [...before, id];

function declined(value: string, before: readonly Declined[] = []): readonly Declined[] {
  const [id = "", why = ""] = value.split("=");
  const reason = DECLINE_REASONS.find((one) => one === why);
  if (id === "" || reason === undefined) throw new InvalidArgumentError(`give ID=WHY, where WHY is one of ${DECLINE_REASONS.join(", ")}.`);
  return [...before, { id, why: reason }];
}
