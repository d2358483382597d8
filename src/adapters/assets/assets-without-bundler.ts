// The browser's files if there is no bundler: the style and the icon unchanged, and no script.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Built, WEB_SOURCE } from "./bundle.ts";

const HASH_CHARS = 8;

export function unbundledFiles(): readonly Built[] {
  return [
    named("board", "css", styleAt(join(WEB_SOURCE, "board.css"))),
    named("icon", "svg", readFileSync(join(WEB_SOURCE, "icon.svg"), "utf8")),
  ];
}

/** A style with its imports inlined. */
function styleAt(path: string): string {
  return readFileSync(path, "utf8").replaceAll(/^@import "(.+)";$/gm, (_, part: string) => styleAt(join(path, "..", part)));
}

function named(stem: string, extension: string, text: string): Built {
  const hash = createHash("sha256").update(text).digest("hex").slice(0, HASH_CHARS);
  return { name: `${stem}-${hash}.${extension}`, bytes: Buffer.from(text) };
}
