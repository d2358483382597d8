// The parameter `fields` over MCP. The board is also asked who wrote each message and how risky it looks, for the warnings about the answer.
import { splitList } from "../../core/query/forms.ts";
import { project } from "../../core/view/projection.ts";
import { asTexts } from "./arguments-as-texts.ts";
import type { Arguments, Body } from "./tool-context.ts";

/** What `careMeta` reads in a message. */
const SOURCES = ["server.author.id", "content.risk"] as const;
/** The board takes no more paths in one call. */
const MOST_PATHS = 64;

/** The chosen paths; none if the whole record is wanted. */
function pathsIn({ fields }: Arguments): readonly string[] {
  const { fields: list = "" } = asTexts({ fields });
  return splitList(list).filter((path) => path !== "");
}

/** The same call, with more fields if it chooses some. */
export function withFields(given: Arguments, more: readonly string[]): Arguments {
  const paths = pathsIn(given);
  return paths.length === 0 ? given : { ...given, fields: [...paths, ...more] };
}

/** With the fields that the warnings are made from, unless there is no room for them. */
export const withSources = (given: Arguments): Arguments =>
  pathsIn(given).length + SOURCES.length > MOST_PATHS ? given : withFields(given, SOURCES);

/** The answer with the chosen fields only. */
export function onlyChosen(found: Body, chosen: Arguments): Body {
  const paths = pathsIn(chosen).map((path) => path.split("."));
  if (paths.length === 0) return found;
  return { ...found, messages: (found["messages"] as readonly Body[]).map((message) => project(message, paths)) };
}
