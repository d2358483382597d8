// Settings as they were given: as a flag, in the environment, or not at all. All faults are collected.
import { isIP } from "node:net";
import { parseArgs } from "node:util";
import { readPem } from "./adapters/system/certificate.ts";
import { isHostName } from "./adapters/system/host-name-checks.ts";

export interface Setting {
  readonly flag: string;
  readonly variable: string;
  readonly otherwise: string;
  readonly words: string;
}

export const setting = (flag: string, variable: string, otherwise: string, words: string): Setting => ({
  flag,
  variable,
  otherwise,
  words,
});

const nonEmpty = (value: string | undefined): string | undefined => (value === "" ? undefined : value);

export function givenSettings<Name extends string>(
  table: Readonly<Record<Name, Setting>>,
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
) {
  const faults: string[] = [];
  const known = Object.values<Setting>(table).map((one) => one.flag);
  const flags = readFlags(args, known, faults);
  const valueOf = (name: Name): string | undefined => flags.get(table[name].flag) ?? nonEmpty(environment[table[name].variable]);
  const given = (name: Name): boolean => valueOf(name) !== undefined;
  const text = (name: Name): string => valueOf(name) ?? table[name].otherwise;
  const fault = (name: Name, mend: string, value = text(name)): void => {
    faults.push(`--${table[name].flag} (${table[name].variable}) is ${JSON.stringify(value)}: ${mend}`);
  };

  const whole = (name: Name, min: number, max: number, otherwise?: number): number => {
    if (otherwise !== undefined && !given(name)) return otherwise;
    const value = Number(text(name));
    if (/^[0-9]{1,16}$/.test(text(name)) && value >= min && value <= max) return value;
    fault(name, `give a whole number from ${min} to ${max}.`);
    return Number.NaN;
  };
  const onOff = (name: Name): boolean => {
    if (!["on", "off"].includes(text(name))) fault(name, "give on or off.");
    return text(name) === "on";
  };
  const address = (name: Name): string => {
    if (isIP(text(name)) === 0 && !isHostName(text(name))) fault(name, "give an IP address or a host name.");
    return text(name);
  };
  const file = (name: Name): string | undefined => {
    if (!given(name)) return undefined;
    const cannot = faultOf(() => readPem(text(name)));
    if (cannot === undefined) return text(name);
    fault(name, cannot);
    return undefined;
  };

  const choice = <const Choice extends string, Otherwise extends Choice | undefined>(
    name: Name,
    choices: readonly Choice[],
    otherwise: Otherwise,
  ): Choice | Otherwise => {
    const found = choices.find((one) => one === text(name));
    const words = choices.length > 3 ? `one of ${choices.join(", ")}` : choices.join(" or ");
    if (given(name) && found === undefined) fault(name, `give ${words}.`);
    return found ?? otherwise;
  };

  return { faults, valueOf, given, text, fault, whole, onOff, address, file, choice };
}

function readFlags(args: readonly string[], known: readonly string[], faults: string[]): ReadonlyMap<string, string> {
  const options = Object.fromEntries(known.map((flag) => [flag, { type: "string" as const }]));
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true, allowPositionals: true });
  const flags = new Map<string, string>();
  let unknownAt = Number.NaN;
  for (const token of tokens) {
    // The text after an unknown flag is most likely its value, so it is not reported as a second fault.
    if (token.kind === "positional" && token.index !== unknownAt + 1)
      faults.push(`${JSON.stringify(token.value)} is not a flag; flags start with --.`);
    if (token.kind !== "option") continue;
    if (!known.includes(token.name)) {
      faults.push(`${token.rawName} does not exist; run with --help for the list.`);
      unknownAt = token.index;
    } else if (token.value === undefined || token.value === "") faults.push(`--${token.name} needs a value.`);
    else if (flags.has(token.name)) faults.push(`--${token.name} is given twice.`);
    else flags.set(token.name, token.value);
  }
  return flags;
}

/** The reason why it failed; undefined if it did not fail. */
export function faultOf(attempt: () => unknown): string | undefined {
  try {
    attempt();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
