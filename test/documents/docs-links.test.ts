// Links of the documents to each other: every linked page and heading exists.
import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { expect, test } from "vitest";

const ROOT = resolve(import.meta.dirname, "../..");
const PAGES = ["*.md", "docs/**/*.md"].flatMap((pattern) => globSync(pattern, { cwd: ROOT }));

/** The anchors that GitHub makes from headings. */
const anchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-");

function anchorsOf(path: string): readonly string[] {
  const words = readFileSync(path, "utf8").replaceAll(/^ *```[\s\S]*?^ *```/gm, "");
  return [...words.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => anchor(heading));
}

test("every link of a document to another one, or to a part of one, leads there", () => {
  expect(PAGES.length).toBeGreaterThan(20);
  const broken = PAGES.flatMap((page) => {
    const words = readFileSync(join(ROOT, page), "utf8").replaceAll(/^ *```[\s\S]*?^ *```/gm, "");
    const links = [...words.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link).filter((link) => !/^[a-z]+:/.test(link));
    return links.filter((link) => !leads(join(ROOT, page), link)).map((link) => `${relative(ROOT, join(ROOT, page))}: ${link}`);
  });
  expect(broken).toEqual([]);
});

function leads(page: string, link: string): boolean {
  const [file = "", part] = link.split("#");
  const target = file === "" ? page : resolve(dirname(page), file);
  if (globSync(target).length === 0) return false;
  return part === undefined || !target.endsWith(".md") || anchorsOf(target).includes(part);
}
