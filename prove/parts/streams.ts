// Streams lose nothing: the reader is disconnected and the board is killed, again and again. What it received must be the log, each entry
// once.
import { plural } from "../../src/core/text/plural.ts";
import { wholeLog } from "../../test/support/acknowledged.ts";
import { Agent } from "../../test/support/agent.ts";
import { eventually } from "../../test/support/eventually.ts";
import { act, dropAll, Follower, eventText } from "../../test/support/follower.ts";
import { BoardProcess, emptyDirectory } from "../../test/support/process.ts";
import { type Part, STORES } from "../part.ts";
import { FLAGS } from "../support/board-cli-flags.ts";

const KILLS = 5;
const DROPS_BETWEEN = 10;
const TAKEN_BETWEEN = 100;
const WRITERS = 3;
const READERS = 4;

export const streams: Part = {
  name: "streams",
  promise: "streams lose nothing: after 50 drops and 5 kills the union equals the log",
  stores: STORES,
  async run(times) {
    const data = emptyDirectory();
    let board = await BoardProcess.serve(data, FLAGS);
    const url = (): string => board.url;
    let [going, taken] = [true, 0];
    const posting = Array.from({ length: WRITERS }, () =>
      act(
        new Agent(),
        url,
        () => going,
        () => taken++,
      ),
    );
    const followers = Array.from({ length: READERS }, () => new Follower("/api/stream"));
    const following = followers.map((one) => one.follow(url));
    const kills = times(KILLS);
    try {
      for (let kill = 1; kill <= kills; kill++) {
        await dropAll(followers, DROPS_BETWEEN);
        const enough = kill * TAKEN_BETWEEN;
        await eventually("enough that could be lost", () => (taken >= enough ? true : undefined));
        await board.kill("SIGKILL");
        board = await BoardProcess.serve(data, FLAGS);
      }
      going = false;
      await Promise.all(posting);
      const log = (await wholeLog(board.url)).map(eventText);
      await eventually("all readers at the head", () => (followers.every((one) => one.last >= log.length) ? true : undefined));
      const differing = followers.filter(({ got }) => got.length !== log.length || got.some((frame, i) => frame !== log[i])).length;
      const drops = Math.min(...followers.map((one) => one.drops));
      return {
        held: differing === 0 && drops >= kills * DROPS_BETWEEN && taken >= kills * TAKEN_BETWEEN,
        figure: `${plural(READERS, "reader")}, each cut off ${plural(drops, "time")} or more, ${kills} of them by a SIGKILL of the board: of ${plural(log.length, "entry", "entries")} ${plural(differing, "reader")} missed one, had one twice or out of order`,
      };
    } finally {
      going = false;
      for (const one of followers) one.stop();
      await Promise.allSettled([...posting, ...following]);
      await board[Symbol.asyncDispose]();
    }
  },
};
