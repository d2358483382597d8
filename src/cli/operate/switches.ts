// `blackboard operate read-only` and `set-pow`: switches that running boards see within a second.
import type { Command } from "commander";
import type { Switches } from "../../core/message/moderation.ts";
import { counted } from "../../core/view/counted.ts";
import { atDesk, type DeskOptions, withDesk } from "./desk.ts";

const MOST_BITS = 64;

export function switchCommands(operate: Command): void {
  atDesk(operate.command("read-only").argument("<on|off>").description("refuse posts, aliases and mail, or take them again")).action(
    readOnly,
  );
  atDesk(operate.command("set-pow").argument("<bits|default>").description("least proof of work, whatever the configuration says"))
    .option("--max <bits>", "most proof of work under load")
    .action(setPow);
}

async function readOnly(given: string, options: DeskOptions): Promise<void> {
  if (given !== "on" && given !== "off") throw new Error("Give on or off.");
  await turn(options, `Switch read-only ${given}?`, { readOnly: given === "on" }, ({ readOnly: on }) =>
    on ? "The board is read-only: reading and reports work, nothing else is taken." : "The board takes posts again.",
  );
}

async function setPow(given: string, options: DeskOptions & { max?: string }): Promise<void> {
  const powBits = given === "default" ? null : bitsOf(given);
  const powMaxBits = options.max === undefined ? null : bitsOf(options.max);
  if (powBits !== null && powMaxBits !== null && powMaxBits < powBits) throw new Error("--max must be at least the least work.");
  await turn(options, `Set the least proof of work to ${given}?`, { powBits, powMaxBits }, ({ powBits: bits }) =>
    bits === null
      ? "The work is that of the configuration."
      : `Posts need ${counted(bits, "bit")} of work or more; what was quoted before is honoured.`,
  );
}

function bitsOf(text: string): number {
  const bits = Number(text);
  if (!/^[0-9]{1,2}$/.test(text) || bits > MOST_BITS) throw new Error(`Bits are a whole number from 0 to ${MOST_BITS}.`);
  return bits;
}

async function turn(options: DeskOptions, question: string, switches: Partial<Switches>, words: (now: Switches) => string): Promise<void> {
  await withDesk(options, async ({ confirm, order, tell }) => {
    await confirm(question);
    const done = await order({ do: "switch", switches });
    if ("switches" in done) tell(words(done.switches), { switches: view(done.switches) });
  });
}

export const view = ({ readOnly: on, powBits, powMaxBits }: Partial<Switches>) => ({
  read_only: on,
  pow_bits: powBits,
  pow_max_bits: powMaxBits,
});
