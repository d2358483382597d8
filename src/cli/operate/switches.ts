// `blackboard operate read-only` and `set-pow`: switches that running boards apply within a second.
import type { Command } from "commander";
import type { Config } from "../../config.ts";
import type { Switches } from "../../core/message/moderation-state.ts";
import { LIMITS } from "../../core/protocol/limits.ts";
import { plural } from "../../core/text/plural.ts";
import { UsageFault } from "../failure.ts";
import { withOperator, type OperatorSession, type OperatorOptions, quoted, withOpenBoard } from "./operator-session.ts";

const MOST_BITS = 64;

interface PowOptions extends OperatorOptions {
  readonly max?: string;
  readonly now?: boolean;
}

export function switchCommands(operate: Command): void {
  withOperator(
    operate.command("read-only").argument("<on|off>").description("refuse posts, aliases and mail, or accept them again"),
  ).action(readOnly);
  withOperator(
    operate.command("set-pow").argument("<bits|default>").description("set the minimum proof of work, whatever the configuration says"),
  )
    .option("--max <bits>", "maximum proof of work under load")
    .option("--now", "refuse difficulties that were quoted before, to stop a flood at once")
    .action(setPow);
}

async function readOnly(given: string, options: OperatorOptions): Promise<void> {
  if (given !== "on" && given !== "off") throw new UsageFault(`${quoted(given)} is neither on nor off`);
  await set(options, `Switch read-only ${given}?`, { readOnly: given === "on" }, (_session, switches) => ({
    text: switches.readOnly
      ? "The board is read-only: reading and reports work, nothing else is accepted."
      : "The board accepts posts again.",
    json: {},
  }));
}

async function setPow(given: string, options: PowOptions): Promise<void> {
  const { max, now: powAtOnce = false } = options;
  const faults: string[] = [];
  const bitsOf = (text: string, wrong: string): number => {
    const bits = Number(text);
    if (!/^[0-9]{1,2}$/.test(text) || bits > MOST_BITS) faults.push(`${wrong} a whole number from 0 to ${MOST_BITS}`);
    return bits;
  };
  const powBits = given === "default" ? null : bitsOf(given, `${quoted(given)} is neither default nor`);
  const powMaxBits = max === undefined ? null : bitsOf(max, `--max ${quoted(max)} is not`);
  if (faults.length === 0 && powBits !== null && powMaxBits !== null && powMaxBits < powBits)
    faults.push(`--max ${powMaxBits} is less than the minimum, ${powBits}`);
  if (faults.length > 0) throw new UsageFault(faults.join("; "));
  await set(options, `Set the minimum proof of work to ${given}?`, { powBits, powMaxBits, powAtOnce }, ({ config }, switches) => {
    const { words, ...minimum } = minimumOf(config, switches);
    const before = powAtOnce
      ? "Difficulties quoted before are no longer accepted."
      : `Difficulties quoted before are still accepted for ${plural(LIMITS.pow_quote_s / 60, "minute")}; use --now to refuse them at once.`;
    return { text: `The minimum proof of work is ${words}. ${before}`, json: { minimum_pow: minimum } };
  });
}

/** The minimum proof of work in force, and its source. The configured value is the one that this command sees. */
export function minimumOf({ powBits: configured }: Config, { powBits }: Switches) {
  const bits = powBits ?? configured;
  const setBy = powBits === null ? "configuration" : "operator";
  return {
    bits,
    set_by: setBy,
    words: `${plural(bits, "bit")} (${powBits === null ? "from configuration, as this command sees it" : "set by the operator"})`,
  };
}

async function set(
  options: OperatorOptions,
  question: string,
  switches: Partial<Switches>,
  words: (session: OperatorSession, now: Switches) => { readonly text: string; readonly json: object },
): Promise<void> {
  await withOpenBoard(options, async (session) => {
    await session.confirm(question);
    const { switches: now } = await session.order({ do: "switch", switches });
    const { text, json } = words(session, now);
    session.print(text, { switches: switchesView(now), ...json });
  });
}

export const switchesView = ({ readOnly: on, powBits, powMaxBits, powAtOnce }: Partial<Switches>) => ({
  read_only: on,
  pow_bits: powBits,
  pow_max_bits: powMaxBits,
  pow_at_once: powAtOnce,
});
