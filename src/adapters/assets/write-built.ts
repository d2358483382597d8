// Part of `npm run build`: writes the browser's files beside the compiled program.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundle } from "./bundle.ts";

const DESTINATION = join(import.meta.dirname, "../../../dist/assets");

rmSync(DESTINATION, { recursive: true, force: true });
mkdirSync(DESTINATION, { recursive: true });
for (const { name, bytes } of await bundle()) writeFileSync(join(DESTINATION, name), bytes);
