// Kills a courier, its board and its receivers at random while messages arrive. In the end everything must have been acted on once, in
// order.
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Envelope } from "../../src/core/protocol/envelope.ts";
import { stateFile } from "../../src/courier/state.ts";
import { Agent, TEST_BITS } from "./agent.ts";
import { ACTING_AGENT, actsIn, courierFile, SECRET } from "./courier.ts";
import { eventually } from "./eventually.ts";
import { databaseFor, onPostgres } from "./postgres/database.ts";
import { BoardProcess, emptyDirectory } from "./process.ts";

export interface KilledCourier {
  readonly kills: Readonly<Record<Victim, number>>;
  readonly messages: number;
  /** The sum of both receivers. */
  readonly lost: number;
  readonly outOfOrder: number;
  readonly setAside: number;
}

const VICTIMS = ["courier", "board", "receiver", "command"] as const;
type Victim = (typeof VICTIMS)[number];
/** The most messages between two kills. */
const POSTS = 4;

const FLAGS = ["--pow-bits", String(TEST_BITS), "--rate-limits", "off", "--log-level", "warn"];

/** A process that gets the same address again after it was killed. */
class Revived {
  #process: BoardProcess | undefined;
  readonly #begin: (port: string) => Promise<BoardProcess>;

  constructor(begin: (port: string) => Promise<BoardProcess>) {
    this.#begin = begin;
  }

  get url(): string {
    return this.#process?.url ?? "";
  }

  async start(): Promise<void> {
    if (this.#process === undefined) {
      this.#process = await this.#begin("0");
      return;
    }
    const { port } = new URL(this.url);
    // Another process may have the port for a moment.
    this.#process = await eventually("it starts again", () => this.#begin(port).catch(() => undefined));
  }

  async strike(): Promise<void> {
    await this.#process?.kill("SIGKILL");
    await this.start();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process?.[Symbol.asyncDispose]();
  }
}

export async function killedCourier(rounds: number, random: () => number): Promise<KilledCourier> {
  const directory = emptyDirectory();
  const [byCommand, byWebhook] = [join(directory, "command.db"), join(directory, "webhook.db")];
  const [me, other] = [new Agent(), new Agent()];
  const data = emptyDirectory();
  const database = onPostgres() ? ["--database-url", await databaseFor(data)] : [];
  const ready = async (one: BoardProcess): Promise<BoardProcess> => {
    await one.ready();
    return one;
  };
  await using board = new Revived((port) =>
    ready(BoardProcess.spawn({ args: ["serve", "--port", port, "--smtp-port", "0", "--data", data, ...database, ...FLAGS] })),
  );
  await using receiver = new Revived((port) => ready(BoardProcess.spawn({ bin: ACTING_AGENT, args: ["serve", byWebhook, port, SECRET] })));
  await board.start();
  await receiver.start();
  const webhook = { adapter: "webhook", url: `${receiver.url}/`, secret: SECRET, allow_private: true, retry_s: 0.05, retry_most_s: 0.5 };
  const command = {
    adapter: "exec",
    command: [process.execPath, ACTING_AGENT, "exec", byCommand],
    retry_s: 0.05,
    retry_most_s: 0.5,
    batch: 3,
  };
  const config = courierFile({ board: board.url, agent: me.id, from: "all", deliver: [command, webhook] }, directory);
  const begin = (): BoardProcess => BoardProcess.spawn({ args: ["courier", "--config", config] });
  let courier = begin();
  await using _ended = { [Symbol.asyncDispose]: () => courier[Symbol.asyncDispose]() };

  const kills = { courier: 0, board: 0, receiver: 0, command: 0 };
  const posted: { readonly id: string; readonly seq: number }[] = [];
  const done = (): number => Math.min(actsIn(byCommand).length, actsIn(byWebhook).length);
  const until = (what: string, holds: () => boolean): Promise<true> =>
    eventually(what, () => (holds() ? true : undefined)).catch((error: unknown) => {
      const acts = `${actsIn(byCommand).length} acts by the command and ${actsIn(byWebhook).length} by the webhook, of ${posted.length}`;
      throw new Error(`${what}: ${acts}, after ${JSON.stringify(kills)}; the courier said: ${courier.stderr.slice(-3000)}`, {
        cause: error,
      });
    });
  for (let round = 0; round < rounds; round++) {
    const before = done();
    for (let n = Math.floor(random() * POSTS) + 1; n > 0; n--)
      posted.push(await postedAt(() => board.url, other.envelope({ kind: "note", title: `letter ${posted.length}`, to: me.id })));
    // A random moment: none, some or all of the new messages have been acted on.
    const enough = before + Math.floor(random() * (posted.length - before + 1));
    await until("enough was acted on", () => done() >= enough);
    const victim = VICTIMS[Math.floor(random() * VICTIMS.length)] ?? "courier";
    if (victim === "courier") {
      await courier.kill("SIGKILL");
      courier = begin();
    } else if (victim === "board") await board.strike();
    else if (victim === "receiver") await receiver.strike();
    else killCommand(byCommand);
    kills[victim]++;
    // The courier continues, whichever process was killed.
    await until("it goes on", () => done() > before);
  }
  await until("all was acted on", () => done() >= posted.length);
  const acts = [actsIn(byCommand), actsIn(byWebhook)];
  const state = join(directory, "state");
  return {
    kills,
    messages: posted.length,
    lost: acts.reduce((sum, one) => sum + posted.filter(({ id }) => !one.some((act) => act.id === id)).length, 0),
    outOfOrder: acts.reduce((sum, one) => sum + one.filter(({ seq }, at) => seq < (one[at - 1]?.seq ?? 0)).length, 0),
    setAside: ["exec", "webhook"].reduce((sum, name) => sum + stateFile(state, name).allSetAside().length, 0),
  };
}

/** Sends the same envelope until the board has it, because the board may be killed at any moment. */
function postedAt(url: () => string, envelope: Envelope): Promise<{ id: string; seq: number }> {
  return eventually("the board takes it", async () => {
    const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(envelope) };
    const answer = await fetch(`${url()}/api/messages`, init).catch(() => undefined);
    return answer?.ok === true ? ((await answer.json()) as { id: string; seq: number }) : undefined;
  });
}

function killCommand(file: string): void {
  try {
    const pid = Number(readFileSync(`${file}.pid`, "utf8"));
    // Later another process may have the same number.
    rmSync(`${file}.pid`);
    process.kill(pid, "SIGKILL");
  } catch {
    // It has already ended.
  }
}
