// Runs the benches named on the command line, or all of them, one after the other.
import { postBench } from "./post.ts";

const BENCHES: Readonly<Record<string, () => Promise<void>>> = {
  post: postBench,
};

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !Object.hasOwn(BENCHES, name));
if (unknown.length > 0) {
  console.error(`There is no bench ${unknown.join(", ")}. There are: ${Object.keys(BENCHES).join(", ")}.`);
  process.exit(2);
}
for (const name of asked.length > 0 ? asked : Object.keys(BENCHES)) {
  console.log(`\n== ${name}`);
  await BENCHES[name]?.();
}
