// Links of the documents to each other, and the files that they name: every linked page and heading exists, and every file of code.
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

test("every file of code that a document names exists", () => {
  const pages = [...PAGES, "src/core/tlog/README.md", ...globSync("vectors/*/README.md", { cwd: ROOT })];
  const files = ["{src,test,bench,prove,docs,vectors,clients}/**/*.{ts,mjs,py}", "*.ts"].flatMap((pattern) =>
    globSync(pattern, { cwd: ROOT }),
  );
  const unknown = pages.flatMap((page) => {
    const words = readFileSync(join(ROOT, page), "utf8");
    const named = [...words.matchAll(/`([\w./-]+\.(?:ts|mjs|py))`/g)].map(([, name = ""]) => name);
    return named.filter((name) => !files.some((file) => `/${file}`.endsWith(`/${name}`))).map((name) => `${page}: ${name}`);
  });
  expect(unknown).toEqual([]);
});

function leads(page: string, link: string): boolean {
  const [file = "", part] = link.split("#");
  const target = file === "" ? page : resolve(dirname(page), file);
  if (globSync(target).length === 0) return false;
  return part === undefined || !target.endsWith(".md") || anchorsOf(target).includes(part);
}
