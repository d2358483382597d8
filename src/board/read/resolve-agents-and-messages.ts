// Resolves names in a query: agents by id or alias, messages by id or unique prefix.
import { Refusal } from "../../core/errors.ts";
import { aliasUnknown, foldNamedAlias } from "../../core/protocol/alias-name.ts";
import { AGENT_ID, MESSAGE_ID_CHARS } from "../../core/protocol/encoding.ts";
import { FILTER_NAMES, FILTERS, type FilterValues } from "../../core/query/filters.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Store } from "../../ports/store.ts";

export interface Names {
  /** `parameter` is where the name was given, for the refusal; without it the name is from the path. */
  agent(name: string, parameter?: string): Promise<string>;
  message(idOrPrefix: string, parameter?: string): Promise<string>;
  /** Whether every name among the filter values is an id already. */
  areIds(values: FilterValues): boolean;
  /** The same filter values with every name replaced by its id. */
  resolve(values: FilterValues): Promise<FilterValues>;
}

/** Lookups that do not refuse, for callers that word their own refusal. */
export interface NameLookup {
  /** The agent with this id or alias; undefined if there is none. An address in another domain is not found here. */
  findAgent(name: string): Promise<string | undefined>;
  /** The live alias with this name, which may be an address of this board. */
  findAlias(name: string): ReturnType<Store["alias"]>;
  /** The messages that a prefix can mean, at most `most`. */
  idsMeant(prefix: string, most: number): Promise<readonly string[]>;
}

/** The messages that a prefix can mean, at most `most`: live ones, or ended ones if none is live. */
export async function idsMeant(store: Pick<Store, "idsByPrefix">, prefix: string, most: number, now: number): Promise<readonly string[]> {
  const { live, ended } = await store.idsByPrefix(prefix, most, now);
  return live.length > 0 ? live : ended;
}

export function names(
  store: Pick<Store, "idsByPrefix" | "alias" | "keysOf">,
  clock: Pick<Clock, "now">,
  mailDomain: string,
): Names & NameLookup {
  const meant = (prefix: string, most: number) => idsMeant(store, prefix, most, clock.now());

  async function findAlias(name: string): ReturnType<Store["alias"]> {
    const alias = foldNamedAlias(name, mailDomain);
    return alias === undefined ? undefined : store.alias(alias, clock.now());
  }

  const findAgent = async (name: string): Promise<string | undefined> => (AGENT_ID.test(name) ? name : (await findAlias(name))?.agent);

  async function agent(name: string, parameter?: string): Promise<string> {
    const found = await findAgent(name);
    if (found !== undefined) return found;
    const alias = foldNamedAlias(name, mailDomain);
    if (alias !== undefined && parameter === undefined) throw aliasUnknown(alias, alias);
    throw new Refusal("invalid_parameter", `${JSON.stringify(name.slice(0, 60))} is not an agent id, and no agent holds it as an alias.`, {
      hint: "Use an agent id, ag_ and 20 hex characters, or a live alias; see /api/aliases.",
      details: { parameter: parameter ?? "agent_id" },
    });
  }

  async function message(idOrPrefix: string, parameter = "ref"): Promise<string> {
    if (idOrPrefix.length === MESSAGE_ID_CHARS) return idOrPrefix;
    const [first, second] = await meant(idOrPrefix, 2);
    if (first !== undefined && second === undefined) return first;
    const found = first === undefined ? "No" : "More than one";
    throw new Refusal("invalid_parameter", `${found} message id starts with ${idOrPrefix}.`, {
      hint: "Give the whole id.",
      details: { parameter },
    });
  }

  async function resolve(values: FilterValues): Promise<FilterValues> {
    const resolved: Record<string, unknown> = { ...values };
    for (const name of FILTER_NAMES) {
      const value = values[name];
      const kind = FILTERS[name].names;
      if (value === undefined || kind === undefined) continue;
      if (kind === "message") resolved[name] = await message(value as string, name);
      else {
        const agents = await Promise.all((value as readonly string[]).map((one) => agent(one, name)));
        resolved[name] = kind === "agents" ? agents : [...new Set((await Promise.all(agents.map((one) => store.keysOf(one)))).flat())];
      }
    }
    return resolved;
  }

  function areIds(values: FilterValues): boolean {
    return FILTER_NAMES.every((name) => {
      const value = values[name];
      const kind = FILTERS[name].names;
      if (value === undefined || kind === undefined) return true;
      if (kind === "every key") return false;
      return kind === "agents"
        ? (value as readonly string[]).every((one) => AGENT_ID.test(one))
        : (value as string).length === MESSAGE_ID_CHARS;
    });
  }

  return { agent, message, findAgent, findAlias, idsMeant: meant, resolve, areIds };
}
