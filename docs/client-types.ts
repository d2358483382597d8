// The types that the client packages promise, as one text, so that a review sees each change: the declarations of `src/client`, file by file.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
const PACKAGE = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  readonly exports: Readonly<Record<string, string | { readonly types: string }>>;
};
/** The entry points of the package: the name to import, and the file in `src/client`. */
const ENTRIES = Object.entries(PACKAGE.exports).flatMap(([name, target]) =>
  typeof target === "string"
    ? []
    : [[name.replace(/^\./, "agent-blackboard"), target.types.replace(/^\.\/dist\/client\/(.*)\.d\.ts$/, "$1")] as const],
);

export function clientTypes(): string {
  const out = mkdtempSync(join(tmpdir(), "client-types-"));
  try {
    const compiler = join(ROOT, "node_modules/typescript/lib/tsc.js");
    const options = ["-p", "tsconfig.build.json", "--emitDeclarationOnly", "--removeComments", "--outDir", out];
    execFileSync(process.execPath, [compiler, ...options], { cwd: ROOT, stdio: "pipe" });
    return pageOf(ENTRIES.reduce((files, [, entry]) => reach(join(out, "client"), `${entry}.d.ts`, files), new Map<string, string>()));
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

/** Adds the declarations of a file, and of the files in the client's folder that it imports. */
function reach(folder: string, file: string, files: Map<string, string>): Map<string, string> {
  if (files.has(file)) return files;
  const text = readFileSync(join(folder, file), "utf8");
  files.set(file, text);
  for (const [, from = ""] of text.matchAll(/ from "(\.[^"]+)\.ts";/g)) {
    const next = join(dirname(file), `${from}.d.ts`);
    if (!next.startsWith("..")) reach(folder, next, files);
  }
  return files;
}

function pageOf(files: ReadonlyMap<string, string>): string {
  const parts = [...files]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([file, text]) => `## ${file.replace(/\.d\.ts$/, "")}\n\n\`\`\`ts\n${text.replaceAll(/^import .*\n/gm, "").trim()}\n\`\`\`\n`);
  const entries = ENTRIES.map(([name, file]) => `\`${name}\` is \`${file}\``);
  return `# Types of the client packages

Written by \`npm run docs\` from \`src/client\`; a test holds this page to the code, so that every change of a promised type is seen in review. ${entries.join(", ")}. Bodies of answers come from the board's operations and are described in openapi.json.

${parts.join("\n")}`;
}
