// The layer law: imports point one way, and core has no caches. This check lists every place that breaks it.
import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

/** What each layer, and each file beside the layers, may import besides itself. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  core: [],
  ports: ["core"],
  board: ["ports", "core"],
  pages: ["core"],
  operations: ["pages", "board", "ports", "core"],
  adapters: ["ports", "core"],
  transports: ["operations", "pages", "board", "ports", "core"],
  client: ["core"],
  // A separate process beside the agent: it knows the board only by its address.
  courier: ["client", "adapters", "core"],
  // The browser's side: it knows the protocol, and the board only by its address.
  web: ["client", "pages", "core"],
  storage: ["config.ts", "adapters", "ports", "core"],
  // Connects the parts of a running board; only start.ts uses it.
  wiring: ["config.ts", "storage", "transports", "operations", "pages", "board", "adapters", "ports", "core"],
  cli: ["start.ts", "config.ts", "storage", "transports", "courier", "client", "board", "adapters", "ports", "core"],
  "given-settings.ts": ["adapters"],
  "config.ts": ["given-settings.ts", "adapters", "core"],
  "start.ts": ["wiring", "config.ts", "adapters", "ports"],
  "program.ts": ["cli", "config.ts", "adapters", "core"],
  "bin.ts": ["program.ts"],
};
/** Folders of these layers are independent of each other: each is a separate way to the same operations. */
const STRANGERS: ReadonlySet<string> = new Set(["transports"]);
/** Layers from which only types may be imported, such as those of answers; they do not exist at run time. */
const MAY_NAME: Readonly<Record<string, readonly string[]>> = { client: ["operations"], pages: ["operations"] };
/** Packages and platform modules that a layer may use; others are for the outer layers only. */
const CORE_MODULES = new Set(["zod", "node:crypto"]);
/** A separate library, which also runs in browsers: it imports only itself. */
const ALONE = "src/core/tlog/";
/** The part of the client that runs in Node only. */
const CLIENT_IN_NODE = "src/client/node/";

/** A variable of a module, a container that begins empty, or a table with empty places: a cache without a limit. */
const MEMORY =
  /^(?:export )?(?:let (\w+)|const (\w+)(?!: [Rr]eadonly)(?:: [^=\n]+)? = (?:\/\*.*?\*\/ )?(?:new (?:Weak)?(?:Map|Set)(?:<.*>)?\(\)|new (?:BoundedCache|ScratchBuffers)\b|(?:new )?Array[<(]|Array\.from(?:<.*>)?\(\{|\[\]))/gm;
/** The exceptions, and why there is no better place. */
const REMEMBERS: Readonly<Record<string, string>> = {
  "src/core/protocol/time.ts": "texts of 256 seconds, a table of fixed size: every time of every answer is written with it",
};

const IMPORT = /(?:(?:import|export) (type) [^"]*)?(?:from\s+|import\s+|import\()"([^"]+)"/g;
const ROOT = "*.ts";
const layerOf = (path: string): string => path.split("/")[1] ?? "";
/** The folder inside its layer; files of the layer itself are a folder too. */
const folderOf = (path: string): string => path.split("/").slice(1, -1)[1] ?? ROOT;
type Graph = Map<string, Set<string>>;
/** The imports of each file, including types. */
const files: Graph = new Map();
/** The imports between folders of any layers, including types. */
const folders: Graph = new Map();
const draw = (graph: Graph, from: string, to: string): void => void graph.set(from, (graph.get(from) ?? new Set()).add(to));
const faults: string[] = [];

for (const file of globSync("src/**/*.ts")) {
  const path = file.replaceAll("\\", "/");
  const layer = layerOf(path);
  if (path.endsWith(".test.ts")) continue;
  const allowed = MAY_IMPORT[layer] ?? [];
  if (MAY_IMPORT[layer] === undefined) faults.push(`${path}: there is no rule yet for what src/${layer} may import.`);
  const text = readFileSync(file, "utf8");
  if (layer === "core" && !(path in REMEMBERS))
    for (const [, variable, container] of text.matchAll(MEMORY))
      faults.push(`${path} remembers ${variable ?? container}: core has no memory; let the caller of the function keep it.`);
  for (const [, types, specifier = ""] of text.matchAll(IMPORT)) {
    if (path.startsWith(ALONE) && !/^\.\/[^/]+$/.test(specifier)) faults.push(`${path} imports ${specifier}: ${ALONE} is to stand alone.`);
    const imported = normalize(join(dirname(path), specifier)).replaceAll("\\", "/");
    if (specifier.startsWith(".")) draw(files, path, imported);
    if (!specifier.startsWith(".")) {
      if (layer === "client" && types === undefined && !path.startsWith(CLIENT_IN_NODE))
        faults.push(`${path} imports ${specifier}: the client runs in browsers, and needs nothing.`);
      if (layer === "core" && !CORE_MODULES.has(specifier)) faults.push(`${path} imports ${specifier}: core calls nothing outside itself.`);
      continue;
    }
    const target = layerOf(imported);
    const [own, other] = [folderOf(path), folderOf(imported)];
    if (target !== layer || own !== other) draw(folders, `${layer}/${own}`, `${target}/${other}`);
    if (target === layer && own !== other && STRANGERS.has(layer))
      faults.push(`${path} imports ${specifier}: ${layer}/${own} must not know ${layer}/${other}.`);
    if (types !== undefined && MAY_NAME[layer]?.includes(target) === true) continue;
    if (target !== layer && !allowed.includes(target)) faults.push(`${path} imports ${specifier}: ${layer} must not know ${target}.`);
  }
}

/** Follows every import once. An import of a file that is already on the path closes a cycle. */
function findCircles(graph: Graph, at: string, way: readonly string[], done: Set<string>): void {
  for (const next of graph.get(at) ?? []) {
    if (way.includes(next)) faults.push(`${[...way.slice(way.indexOf(next)), next].join(" -> ")}: imports must not go in a circle.`);
    else if (!done.has(next)) findCircles(graph, next, [...way, next], done);
  }
  done.add(at);
}
for (const graph of [files, folders]) {
  const done = new Set<string>();
  for (const start of graph.keys()) if (!done.has(start)) findCircles(graph, start, [start], done);
}

if (faults.length > 0) {
  console.error(faults.join("\n"));
  process.exitCode = 1;
} else console.log("layers: every import points the right way");
