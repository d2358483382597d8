// One name, one meaning: no two files of src export the same name. This check lists those that do.
import { globSync, readFileSync } from "node:fs";

/** Published as separate packages, with names that their users know: only names within one of them are compared. */
const PACKAGES: Readonly<Record<string, string>> = {
  "src/client/": "a function is called as the operation that it asks for, and a type as the record that comes back",
  "src/core/tlog/": "the words of C2SP and RFC 6962",
};
/** Each store has its own of these, behind one port. */
const STORES = /^src\/adapters\/(?:sqlite|postgres)\//;
/** The exceptions, and why there is no better name. */
const TWINS: Readonly<Record<string, string>> = {
  run: "what every thread begins with (start-thread.ts)",
};

const EXPORT = /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|class|interface|type|const|let) ([\w$]+)/gm;

/** Where each name is exported; the two stores count as one place. */
const places = new Map<string, Map<string, string>>();
for (const file of globSync("src/**/*.ts")) {
  const path = file.replaceAll("\\", "/");
  if (path.endsWith(".test.ts")) continue;
  const own = Object.keys(PACKAGES).find((folder) => path.startsWith(folder)) ?? "";
  for (const [, name = ""] of readFileSync(file, "utf8").matchAll(EXPORT)) {
    const known = places.get(`${own} ${name}`) ?? new Map<string, string>();
    places.set(`${own} ${name}`, known.set(path.replace(STORES, "a store's "), path));
  }
}

const faults = [...places].flatMap(([key, known]) => {
  const name = key.slice(key.indexOf(" ") + 1);
  return known.size < 2 || name in TWINS
    ? []
    : [`${name} is exported by ${[...known.values()].join(" and ")}: give one of them a name that says how they differ.`];
});
if (faults.length > 0) {
  console.error(faults.join("\n"));
  process.exitCode = 1;
} else console.log("names: each exported name means one thing");
