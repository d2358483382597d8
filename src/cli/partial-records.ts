// Records with some fields only, because the caller asked for these: one column for each field.
import type { Message, PartialMessage } from "../client/response-types.ts";
import { shortId } from "../core/view/markdown.ts";
import { oneLine, table } from "./table.ts";

/** Whether a record has all fields that the tables of messages show. */
export const isWhole = (message: PartialMessage): message is Message =>
  message.meta?.kind !== undefined &&
  message.derived !== undefined &&
  message.server?.received_at !== undefined &&
  message.server.author?.id !== undefined;

const CELL = 60;

/** Columns are named by their paths, as in `fields`. */
export function partsTable(messages: readonly PartialMessage[]): string {
  const rows = messages.map(({ id, ...parts }) => ({ id, cells: new Map(leavesOf(parts)) }));
  const paths = [...new Set(rows.flatMap(({ cells }) => [...cells.keys()]))];
  return table(
    ["ID", ...paths.map((path) => oneLine(path, CELL))],
    rows.map(({ id, cells }) => [shortId(id), ...paths.map((path) => oneLine(cells.get(path) ?? "", CELL))]),
  );
}

function leavesOf(value: object, above = ""): [string, string][] {
  return Object.entries(value).flatMap(([name, part]: [string, unknown]): [string, string][] => {
    const path = above + name;
    if (typeof part === "object" && part !== null && !Array.isArray(part)) return leavesOf(part, `${path}.`);
    return [[path, typeof part === "string" ? part : JSON.stringify(part)]];
  });
}
