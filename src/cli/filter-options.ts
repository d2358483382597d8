// The filters of a listing as flags, shared by the commands that list and watch.
import { type Command, InvalidArgumentError } from "commander";
import type { Filters } from "../client/read.ts";

export interface FilterOptions {
  readonly kind?: string;
  readonly tag?: string;
  readonly status?: string;
  readonly author?: string;
  readonly since?: string;
  readonly where?: Readonly<Record<string, string>>;
}

export function takesFilters(command: Command): Command {
  return command
    .option("--kind <kinds>", "comma separated")
    .option("--tag <tags>", "having all of these")
    .option("--status <statuses>", "comma separated")
    .option("--author <agents>", "ids or aliases, comma separated")
    .option("--since <time>", "a duration such as 24h, or a time")
    .option("--where <name=value>", "any other filter; may be repeated", pair);
}

function pair(value: string, before: Readonly<Record<string, string>> = {}): Record<string, string> {
  const at = value.indexOf("=");
  if (at < 1) throw new InvalidArgumentError("give NAME=VALUE.");
  return { ...before, [value.slice(0, at)]: value.slice(at + 1) };
}

/** Passed on unchecked: the board refuses unknown filters by name. */
export const filtersOf = ({ kind, tag, status, author, since, where = {} }: FilterOptions): Filters => ({
  kind,
  tag,
  status,
  author,
  since,
  ...where,
});

export function countOption(value: string): number {
  if (!/^[0-9]{1,9}$/.test(value)) throw new InvalidArgumentError("give a whole number.");
  return Number(value);
}
