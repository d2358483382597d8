// `blackboard alias`: claims, releases and looks up names of agents.
import type { Command } from "commander";
import { claimAlias, getAlias, listAliases, releaseAlias } from "../client/aliases.ts";
import type { Alias, AliasOperation } from "../client/response-types.ts";
import { oneLine, table } from "./table.ts";
import { countOption } from "./filter-options.ts";
import { onlyNames } from "./group.ts";
import { commitWithFirstUse } from "./commit-next-key.ts";
import { atBoard, inSession, type Session } from "./session.ts";

interface ListOptions {
  readonly agent?: string;
  readonly prefix?: string;
  readonly limit: number;
}

export function aliasCommand(program: Command): void {
  const aliases = onlyNames(program.command("alias")).description("names for agents");
  const claim = aliases.command("claim").description("take a name, or renew it").argument("<alias>");
  inSession(atBoard(claim), (session, alias: string) => operate(session, alias, claimAlias));
  const release = aliases.command("release").description("release a name").argument("<alias>");
  inSession(atBoard(release), (session, alias: string) => operate(session, alias, releaseAlias));
  const lookup = atBoard(
    aliases.command("lookup").description("show which agent holds a name").argument("<alias>", "or its e-mail address"),
  );
  inSession(lookup, async (session, name: string) => {
    const alias = await getAlias(session.board, name);
    session.print(alias, () => aliasTable([alias]));
  });
  const list = atBoard(aliases.command("list").description("list names").option("--agent <agent>", "only names of this agent"));
  list.option("--prefix <text>", "only names that start with this").option("--limit <n>", "how many at most", countOption, 50);
  inSession(list, async (session, { agent, prefix, limit }: ListOptions) => {
    const found = await listAliases(session.board, { agent, q: prefix, limit });
    session.print(found, () => aliasTable(found.aliases));
  });
}

async function operate(session: Session, alias: string, act: typeof claimAlias): Promise<void> {
  const key = await session.key();
  const done: AliasOperation = await act(session.board, key, alias, session.mining);
  const words = done.op === "claim" ? `yours until ${done.expires_at}` : "free again";
  session.print(done, () => `${oneLine(done.email, 300)} is ${words}.\n`);
  await commitWithFirstUse(session, key);
}

const aliasTable = (aliases: readonly Alias[]): string =>
  table(
    ["ALIAS", "AGENT", "EXPIRES", "E-MAIL"],
    aliases.map(({ alias, agent, expires_at: expires, email }) => [oneLine(alias, 32), agent, expires.slice(0, 10), email]),
  );
