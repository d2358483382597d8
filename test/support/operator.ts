// The operator's session in a test: the same store and commands as the command line, while a board runs in this process.
import { randomBytes } from "node:crypto";
import { type OperatorSession, operatorSession } from "../../src/cli/operate/operator-session.ts";
import { eraseTraces } from "../../src/cli/operate/erase-removed-content.ts";
import { type Config, readConfig } from "../../src/config.ts";
import type { Action, Reasons } from "../../src/core/message/moderation-state.ts";
import type { OperatorCommand } from "../../src/core/message/execute-operator-commands.ts";
import type { Store } from "../../src/ports/store.ts";
import { placeOf } from "../../src/storage/open.ts";
import type { TestBoard } from "./board.ts";
import { databaseUrlOf } from "./postgres/database.ts";

export const FACTS = "Unwanted advertising.";
export const reasons = (facts = FACTS): Reasons => ({
  id: `sr_${randomBytes(8).toString("hex")}`,
  category: "spam",
  ground: "incompatible_content",
  facts,
});

/** The configuration with which an operator's command finds the board of a data directory. */
export function configAt(data: string): Config {
  const url = databaseUrlOf(data);
  return readConfig(["--data", data, ...(url === undefined ? [] : ["--database-url", url])], {});
}

export class Operator implements AsyncDisposable {
  readonly session: OperatorSession;
  readonly #store: Store;
  readonly #board: Pick<TestBoard, "clock">;

  private constructor(opened: OperatorSession, board: Pick<TestBoard, "clock">) {
    this.#store = opened.store;
    this.#board = board;
    this.session = opened;
  }

  static async at(board: Pick<TestBoard, "data" | "clock">): Promise<Operator> {
    const config = configAt(board.data);
    return new Operator(operatorSession(config, await placeOf(config).openBeside(), { yes: true }), board);
  }

  /** Executes a command, then gives the board the time that it needs to notice. */
  async decide(order: OperatorCommand): Promise<Action> {
    const done = await this.session.order(order);
    if (!("action" in done)) throw new Error("That was no decision.");
    this.#board.clock.advance(1000);
    return done.action;
  }

  remove(target: string, keepAttachments = false): Promise<Action> {
    return this.decide({ do: "remove", target, reasons: reasons(), keepAttachments });
  }

  erase(): Promise<string> {
    return eraseTraces(this.session);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#store.close();
  }
}
