// The board is killed under load, again and again; what it acknowledged must be there, byte for byte, on a chain that holds.
import type { Envelope } from "../../src/core/protocol/envelope.ts";
import { lostBy, postUntilGone } from "../../test/support/acknowledged.ts";
import { Agent } from "../../test/support/agent.ts";
import { BoardProcess, emptyDirectory } from "../../test/support/process.ts";
import { type Part, STORES } from "../part.ts";
import { FLAGS } from "../support/flags.ts";

const KILLS = 200;
const CONNECTIONS = 16;
/** Reading the whole log after every kill would take longer than the kills. */
const LOOK_EVERY = 20;

export const kills: Part = {
  name: "kills",
  promise: "an acknowledged post survives the process",
  stores: STORES,
  async run(times) {
    const data = emptyDirectory();
    const agents = Array.from({ length: CONNECTIONS }, () => new Agent());
    const acknowledged: Envelope[] = [];
    const rounds = times(KILLS);
    let lost = 0;
    for (let round = 0; round < rounds; round++) {
      await using board = await BoardProcess.serve(data, FLAGS);
      if (round % LOOK_EVERY === 0) lost += (await lostBy(board.url, acknowledged)).length;
      const posting = agents.map((agent, lane) => postUntilGone(board.url, agent, `kill ${round}, lane ${lane}`));
      await new Promise((resolve) => setTimeout(resolve, 50 + Math.random() * 500));
      await board.kill("SIGKILL");
      acknowledged.push(...(await Promise.all(posting)).flat());
    }
    await using board = await BoardProcess.serve(data, FLAGS);
    lost += (await lostBy(board.url, acknowledged)).length;
    return {
      held: lost === 0 && acknowledged.length > 0,
      figure: `${rounds} SIGKILLs under load, ${acknowledged.length.toLocaleString("en")} acknowledgements, ${lost} lost`,
    };
  },
};
