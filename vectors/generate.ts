// Writes the protocol vectors and those for transparency logs; tests hold the written files against the code.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { vectorTexts } from "./files.ts";
import { tlogTexts } from "./tlog-files.ts";

for (const [name, text] of vectorTexts()) writeFileSync(join(import.meta.dirname, "protocol", name), text);
for (const [name, text] of await tlogTexts()) writeFileSync(join(import.meta.dirname, "tlog", name), text);
