// The walks in docs/architecture.md name files that exist, as many as they say, and no more than a reader can follow.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const MOST = 30;
const [, section = ""] = readFileSync(join(ROOT, "docs/architecture.md"), "utf8").split("## Two walks\n");
const walks = section.split("\n## ")[0]!.split("\n**").slice(1);

/** A name with a slash at its end and a colon after it is the folder of the names that follow; otherwise it is a whole folder. */
function filesOf(walk: string): readonly string[] {
  let folder = "";
  return [...walk.matchAll(/`([a-z0-9/-]+)`(:?)/g)].flatMap(([, name = "", colon = ""]) => {
    if (name.includes("/")) folder = name.slice(0, name.lastIndexOf("/") + 1);
    if (colon !== "") return [];
    const path = name.includes("/") ? name : `${folder}${name}`;
    return [path.endsWith("/") ? path : `${path}.ts`];
  });
}

test("there are two walks", () => expect(walks).toHaveLength(2));

test.each(walks.map((walk) => [walk.split("**")[0]!, walk]))("%s", (title, walk) => {
  const files = filesOf(walk);
  expect(files.filter((file) => !existsSync(join(ROOT, "src", file)))).toEqual([]);
  expect(new Set(files).size).toBe(files.length);
  expect(files).toHaveLength(Number(/, (\d+) files/.exec(title)?.[1]));
  expect(files.length).toBeLessThanOrEqual(MOST);
});
