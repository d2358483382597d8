// Writes the protocol vectors; a test holds the written files against the code.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { vectorTexts } from "./files.ts";

for (const [name, text] of vectorTexts()) writeFileSync(join(import.meta.dirname, "protocol", name), text);
