// The board is killed under load, again and again; what it acknowledged must be there, byte for byte, on a chain that holds.
import type { Envelope } from "../../src/core/protocol/envelope.ts";
import { lostBy, postUntilGone, wholeLog } from "../../test/support/acknowledged.ts";
import { Agent } from "../../test/support/agent.ts";
import { BoardProcess, emptyDirectory } from "../../test/support/process.ts";
import { count, type Part, STORES } from "../part.ts";
import { FLAGS } from "../support/flags.ts";
import { Witness } from "../support/witness.ts";

const KILLS = 200;
const ACKNOWLEDGEMENTS = 20_000;
const CONNECTIONS = 16;
/** Reading the whole log after every kill would take longer than the kills. */
const LOOK_EVERY = 50;

export const kills: Part = {
  name: "kills",
  promise: "an acknowledged post survives the process",
  stores: STORES,
  async run(times) {
    const data = emptyDirectory();
    const agents = Array.from({ length: CONNECTIONS }, () => new Agent());
    const acknowledged: Envelope[] = [];
    const [rounds, wanted] = [times(KILLS), times(ACKNOWLEDGEMENTS)];
    const witness = new Witness();
    let url = "";
    const watching = witness.watch(() => url);
    let lost = 0;
    for (let round = 0; round < rounds; round++) {
      await using board = await BoardProcess.serve(data, FLAGS);
      ({ url } = board);
      if (round % LOOK_EVERY === 0) lost += (await lostBy(url, acknowledged)).length;
      // Any moment: from the first acknowledgement of a round to twice as many as it takes for all of them.
      const enough = acknowledged.length + 1 + Math.random() * 2 * ((wanted - acknowledged.length) / (rounds - round));
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
    const heads = witness.judge(log);
    await watching;
    return {
      held: lost === 0 && acknowledged.length >= rounds && heads.held,
      figure: `${rounds} SIGKILLs under load, ${count(acknowledged.length)} acknowledgements, ${lost} lost; ${heads.figure}`,
    };
  },
};
