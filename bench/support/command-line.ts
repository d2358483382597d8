// The command line of `npm run bench` and `npm run prove`: reads it, or prints the usage instead of a stack trace.
import { parseArgs } from "node:util";
import { closestName } from "../../src/core/text/did-you-mean.ts";

export interface Flag {
  /** The placeholder of its value in the usage; a flag without one is a switch. */
  readonly takes?: string;
  readonly words: string;
}

export interface Usage<Name extends string> {
  readonly command: string;
  /** What the names on the command line are, such as a bench or a proof. */
  readonly what: string;
  readonly flags: Readonly<Record<Name, Flag>>;
  /** The document with more about it. */
  readonly docs: string;
}

export interface Asked<Name extends string> {
  readonly names: readonly string[];
  readonly values: Readonly<Partial<Record<Name, string>>>;
  readonly switches: ReadonlySet<Name>;
  readonly help: boolean;
}

/** A text to print instead of running, with its exit code. */
export class Instead extends Error {
  readonly code: 0 | 2;

  constructor(text: string, code: 0 | 2) {
    super(text);
    this.code = code;
  }
}

export function readAsked<Name extends string>(usage: Usage<Name>, args: readonly string[]): Asked<Name> {
  const flags: readonly (readonly [string, Flag])[] = [...Object.entries<Flag>(usage.flags), ["help", { words: "" }]];
  const options = Object.fromEntries(flags.map(([name, { takes }]) => [name, option(name, takes)]));
  const { positionals, values } = parsed(usage, args, options);
  const given = Object.entries(values);
  const { help, ...texts } = Object.fromEntries(given.filter(([name, value]) => name === "help" || typeof value === "string"));
  const switches = new Set(given.filter(([, value]) => value === true).map(([name]) => name as Name));
  return { names: positionals, values: texts as Asked<Name>["values"], switches, help: help === true };
}

/** Prints the usage if the caller asked for it, and refuses names that do not exist. */
export function requireNames<Name extends string>(usage: Usage<Name>, { names, help }: Asked<Name>, known: readonly string[]): void {
  if (help) throw new Instead(usageText(usage, known), 0);
  requireKnown(usage.what, names, known, usage);
}

/** Refuses names that do not exist, and lists those that do. */
export function requireKnown(what: string, given: readonly string[], known: readonly string[], usage: Usage<string>): void {
  const unknown = given.filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  const near = unknown.map((name) => closestName(name, known)).find((name) => name !== undefined);
  const meant = near === undefined ? "" : ` Did you mean ${near}?`;
  throw refused(`There is no ${what} ${unknown.join(", ")}.${meant} There are: ${known.join(", ")}.`, usage);
}

export const refused = (words: string, { command }: Usage<string>): Instead => new Instead(`${words}\nSee ${command} -- --help.`, 2);

/** For the top of a program: returns what was read, or prints the text of an `Instead` and exits. */
export function orInstead<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Instead)) throw error;
    (error.code === 0 ? console.log : console.error)(error.message);
    process.exit(error.code);
  }
}

const option = (name: string, takes: string | undefined) =>
  ({ type: takes === undefined ? "boolean" : "string", ...(name === "help" ? { short: "h" } : {}) }) as const;

function parsed(usage: Usage<string>, args: readonly string[], options: Record<string, ReturnType<typeof option>>) {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options });
  } catch (error) {
    const name = /'(?:-\w, )?--?([\w-]+)/.exec((error as Error).message)?.[1] ?? "";
    const known = Object.keys(options);
    if (known.includes(name)) {
      const { takes } = usage.flags[name] ?? {};
      throw refused(takes === undefined ? `--${name} takes no value.` : `--${name} needs a value: --${name}=${takes}.`, usage);
    }
    throw unknownFlag(usage, name, known);
  }
}

function unknownFlag(usage: Usage<string>, name: string, known: readonly string[]): Instead {
  const near = closestName(name, known);
  const meant = near === undefined ? "" : ` Did you mean --${near}?`;
  return refused(`There is no flag --${name}.${meant} There are: ${known.map((one) => `--${one}`).join(", ")}.`, usage);
}

function usageText({ command, what, flags, docs }: Usage<string>, names: readonly string[]): string {
  const rows = [...Object.entries(flags), ["help", { words: "print this" }] as const].map(
    ([name, { takes, words }]: readonly [string, Flag]) => [takes === undefined ? `--${name}` : `--${name}=${takes}`, words] as const,
  );
  const width = Math.max(...rows.map(([form]) => form.length));
  return [
    `Usage: ${command} -- [flags] [${what} ...]`,
    "",
    `Without a name all of them run. There are: ${names.join(", ")}.`,
    "",
    ...rows.map(([form, words]) => `  ${form.padEnd(width)}  ${words}`),
    "",
    `More: ${docs}`,
  ].join("\n");
}
