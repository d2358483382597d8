// Courier, board and receivers are killed at random. Every message is acted on exactly once by an agent that may be woken twice.
import { plural } from "../../src/core/text/plural.ts";
import { killedCourier } from "../../test/support/courier-kills.ts";
import { type Part, STORES } from "../part.ts";

const KILLS = 200;

export const courier: Part = {
  name: "courier",
  promise: "what is addressed to an agent is acted on, once and in order, whatever dies on the way",
  stores: STORES,
  async run(times) {
    const { kills, messages, lost, outOfOrder, setAside } = await killedCourier(times(KILLS), Math.random);
    const all = Object.values(kills).reduce((sum, one) => sum + one, 0);
    return {
      held: lost === 0 && outOfOrder === 0 && setAside === 0,
      figure:
        `${plural(all, "SIGKILL")} (${Object.entries(kills)
          .map(([name, count]) => `${name} ${count}`)
          .join(", ")}), ` +
        `${plural(messages, "message")} by a command and by a webhook: ${lost} lost, ${outOfOrder} out of order, ${setAside} set aside`,
    };
  },
};
