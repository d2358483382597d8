// The board is killed under load, again and again. Everything it acknowledged must be there, byte for byte, on a chain that verifies.
import { plural } from "../../src/core/text/plural.ts";
import type { Envelope } from "../../src/core/protocol/envelope.ts";
import { lostBy, postUntilGone, wholeLog } from "../../test/support/acknowledged.ts";
import { Agent } from "../../test/support/agent.ts";
import { BoardProcess, emptyDirectory } from "../../test/support/process.ts";
import { type Part, STORES } from "../part.ts";
import { FLAGS } from "../support/board-cli-flags.ts";
import { Witness } from "../support/signed-head-watcher.ts";

const KILLS = 200;
const ACKNOWLEDGEMENTS = 20_000;
/** Each board has its own processes and its own kills. Starting takes most of the time, and there are two processors. */
const BOARDS = 2;
const CONNECTIONS = 12;
/** The whole log is read only after this many kills, because reading takes longer than a kill. */
const LOOK_EVERY = 50;

export const kills: Part = {
  name: "kills",
  promise: "an acknowledged post survives the process",
  stores: STORES,
  async run(times) {
    const [rounds, wanted] = [Math.ceil(times(KILLS) / BOARDS), times(ACKNOWLEDGEMENTS) / BOARDS];
    const boards = await Promise.all(Array.from({ length: BOARDS }, () => killed(rounds, wanted)));
    const sum = (of: (one: Killed) => number): number => boards.reduce((total, one) => total + of(one), 0);
    const [acknowledged, lost] = [sum((one) => one.acknowledged), sum((one) => one.lost)];
    return {
      held: lost === 0 && acknowledged >= rounds * BOARDS && boards.every(({ verdict }) => verdict.held),
      figure:
        `${plural(rounds * BOARDS, "SIGKILL")} under load, ${plural(acknowledged, "acknowledgement")}, ${lost} lost; ` +
        boards.map(({ verdict }) => verdict.figure).join("; "),
    };
  },
};

interface Killed {
  readonly acknowledged: number;
  readonly lost: number;
  readonly verdict: ReturnType<Witness["judge"]>;
}

async function killed(rounds: number, wanted: number): Promise<Killed> {
  const data = emptyDirectory();
  const agents = Array.from({ length: CONNECTIONS }, () => new Agent());
  const acknowledged: Envelope[] = [];
  using witness = new Witness();
  let [url, lost] = ["", 0];
  const watching = witness.watch(() => url);
  for (let round = 0; round < rounds; round++) {
    await using board = await BoardProcess.serve(data, FLAGS);
    ({ url } = board);
    if (round % LOOK_EVERY === 0) lost += (await lostBy(url, acknowledged)).length;
    // A random moment: after the first acknowledgement of a round, and on average after its fair share of all.
    const share = (wanted - acknowledged.length) / (rounds - round);
    const enough = acknowledged.length + (round === rounds - 1 ? share : 1 + Math.random() * 2 * share);
    const struck = Promise.withResolvers<void>();
    const note = (envelope: Envelope): void => {
      if (acknowledged.push(envelope) >= enough) struck.resolve();
    };
    const posting = agents.map((agent, lane) => postUntilGone(board.url, agent, `kill ${round}, lane ${lane}`, note));
    await Promise.race([struck.promise, Promise.all(posting)]);
    await board.kill("SIGKILL");
    await Promise.all(posting);
  }
  await using board = await BoardProcess.serve(data, FLAGS);
  ({ url } = board);
  await witness.ask(url);
  const log = await wholeLog(url);
  lost += (await lostBy(url, acknowledged, log)).length;
  const verdict = witness.judge(log);
  await watching;
  return { acknowledged: acknowledged.length, lost, verdict };
}
