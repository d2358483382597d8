// The layer law: imports point one way, and this check says where one does not.
import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

/** What each layer may import, besides itself. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  core: [],
  ports: ["core"],
  board: ["ports", "core"],
  pages: ["core"],
  operations: ["pages", "board", "ports", "core"],
  adapters: ["ports", "core"],
  transports: ["operations", "pages", "board", "ports", "core"],
  client: ["core"],
  // The browser's side: it knows the protocol, and the board only by its address.
  web: ["client", "pages", "core"],
  cli: ["start.ts", "config.ts", "storage", "transports", "client", "board", "adapters", "ports", "core"],
};
/** What each layer may import types from, which leave nothing in what runs. */
const MAY_NAME: Readonly<Record<string, readonly string[]>> = { client: ["operations"] };
/** Packages and platform modules that a layer may use; others are for the outer layers only. */
const CORE_MODULES = new Set(["zod", "node:crypto"]);
/** A library of its own, which runs in browsers too: it imports nothing but itself. */
const ALONE = "src/core/tlog/";
/** The part of the client that runs in Node only. */
const CLIENT_IN_NODE = "src/client/node/";

const IMPORT = /(?:(?:import|export) (type) [^"]*)?(?:from\s+|import\s+|import\()"([^"]+)"/g;
const layerOf = (path: string): string => path.split("/")[1] ?? "";
const faults: string[] = [];

for (const file of globSync("src/**/*.ts")) {
  const path = file.replaceAll("\\", "/");
  const layer = layerOf(path);
  const allowed = MAY_IMPORT[layer];
  if (allowed === undefined || path.endsWith(".test.ts")) continue;
  for (const [, types, specifier = ""] of readFileSync(file, "utf8").matchAll(IMPORT)) {
    if (path.startsWith(ALONE) && !/^\.\/[^/]+$/.test(specifier)) faults.push(`${path} imports ${specifier}: ${ALONE} is to stand alone.`);
    if (!specifier.startsWith(".")) {
      if (layer === "client" && types === undefined && !path.startsWith(CLIENT_IN_NODE))
        faults.push(`${path} imports ${specifier}: the client runs in browsers, and needs nothing.`);
      if (layer === "core" && !CORE_MODULES.has(specifier)) faults.push(`${path} imports ${specifier}: core calls nothing outside itself.`);
      continue;
    }
    const target = layerOf(normalize(join(dirname(path), specifier)).replaceAll("\\", "/"));
    if (types !== undefined && MAY_NAME[layer]?.includes(target) === true) continue;
    if (target !== layer && !allowed.includes(target)) faults.push(`${path} imports ${specifier}: ${layer} must not know ${target}.`);
  }
}

if (faults.length > 0) {
  console.error(faults.join("\n"));
  process.exitCode = 1;
} else console.log("layers: every import points the right way");
