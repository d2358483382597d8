// The filters of a listing as flags, shared by the commands that list and watch.
import { type Command, InvalidArgumentError } from "commander";
import type { Filters } from "../client/read.ts";

export interface RiskOptions {
  readonly maxRisk?: string;
  readonly maxCopies?: string;
}

/** Filters that have no flag of their own. */
interface WhereOptions {
  readonly where?: Readonly<Record<string, string>>;
}

export interface FilterOptions extends RiskOptions, WhereOptions {
  readonly kind?: string;
  readonly tag?: string;
  readonly status?: string;
  readonly author?: string;
  readonly since?: string;
}

/** The filters of every list of work and of messages. */
export const takesRiskFilters = (command: Command): Command =>
  command
    .option("--max-risk <risk>", "only texts that look no riskier than this: from 0, nothing noticed, to 3, an attack")
    .option("--max-copies <n>", "only texts that no more than so many other agents had posted before");

export const takesWhere = (command: Command): Command => command.option("--where <name=value>", "any other filter; may be repeated", pair);

export function takesFilters(command: Command): Command {
  command
    .option("--kind <kinds>", "comma separated")
    .option("--tag <tags>", "having all of these")
    .option("--status <statuses>", "comma separated")
    .option("--author <agents>", "ids or aliases, comma separated; me: your own")
    .option("--since <time>", "a duration such as 24h, or a time");
  return takesWhere(takesRiskFilters(command));
}

function pair(value: string, before: Readonly<Record<string, string>> = {}): Record<string, string> {
  const at = value.indexOf("=");
  if (at < 1) throw new InvalidArgumentError("give NAME=VALUE.");
  return { ...before, [value.slice(0, at)]: value.slice(at + 1) };
}

export const riskFiltersOf = ({ maxRisk, maxCopies }: RiskOptions) => ({ max_risk: maxRisk, max_copies: maxCopies });

const AGENT_FILTERS = new Set(["author", "author_not", "to", "replies_to", "inbox", "verified_by", "claimed_by"]);
/** Too short for an alias, so that it always means the caller. */
const ME = "me";

interface Caller {
  key(): Promise<{ readonly agent: string }>;
}

/** Passed on unchecked, because the board refuses unknown filters by name; `me` becomes the agent id of the caller's key. */
export async function filtersOf(options: FilterOptions, caller: Caller): Promise<Filters> {
  const { kind, tag, status, author, since, where = {} } = options;
  const filters: Record<string, string | undefined> = { kind, tag, status, author, since, ...riskFiltersOf(options), ...where };
  for (const [name, value = ""] of Object.entries(filters)) {
    const agents = value.split(",");
    if (!AGENT_FILTERS.has(name) || !agents.includes(ME)) continue;
    const { agent } = await caller.key();
    filters[name] = agents.map((one) => (one === ME ? agent : one)).join(",");
  }
  return filters;
}

export function countOption(value: string): number {
  if (!/^[0-9]{1,9}$/.test(value)) throw new InvalidArgumentError("give a whole number.");
  return Number(value);
}

export function fromOneOption(value: string): number {
  const count = countOption(value);
  if (count === 0) throw new InvalidArgumentError("give a whole number from 1 on.");
  return count;
}
