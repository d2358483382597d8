// Writes the documents that are made from the code: openapi.json as a board at the default address would serve it, the settings, and the types of the client packages.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "../src/config.ts";
import { start } from "../src/start.ts";
import { clientTypes } from "./client-types.ts";
import { withSettingsTable } from "./settings-table.ts";

const data = mkdtempSync(join(tmpdir(), "board-docs-"));
const flags = ["--port", "0", "--base-url", "http://localhost:8787", "--smtp-port", "0", "--log-level", "silent", "--data", data];
const board = await start(readConfig(flags, {}));
try {
  const document: unknown = await (await fetch(`${board.address}/openapi.json`)).json();
  writeFileSync(join(import.meta.dirname, "../openapi.json"), `${JSON.stringify(document, null, 2)}\n`);
} finally {
  await board.close();
  rmSync(data, { recursive: true, force: true });
}

const page = join(import.meta.dirname, "configuration.md");
writeFileSync(page, withSettingsTable(readFileSync(page, "utf8")));
writeFileSync(join(import.meta.dirname, "client-types.md"), clientTypes());
