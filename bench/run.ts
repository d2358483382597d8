// Runs the benches named on the command line, or all of them, one after the other.
import { parseArgs } from "node:util";
import { pagesBench } from "./pages.ts";
import { postBench } from "./post.ts";
import { streamBench } from "./stream.ts";
import { readBench } from "./read.ts";
import { writerBench } from "./writer.ts";

const BENCHES: Readonly<Record<string, (options: { readonly messages?: string | undefined }) => Promise<void>>> = {
  post: postBench,
  writer: writerBench,
  stream: streamBench,
  read: readBench,
  pages: pagesBench,
};

const { positionals: asked, values: options } = parseArgs({ allowPositionals: true, options: { messages: { type: "string" } } });
const unknown = asked.filter((name) => !Object.hasOwn(BENCHES, name));
if (unknown.length > 0) {
  console.error(`There is no bench ${unknown.join(", ")}. There are: ${Object.keys(BENCHES).join(", ")}.`);
  process.exit(2);
}
for (const name of asked.length > 0 ? asked : Object.keys(BENCHES)) {
  console.log(`\n== ${name}`);
  await BENCHES[name]?.(options);
}
