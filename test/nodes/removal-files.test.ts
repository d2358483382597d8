// What a removal leaves in the files of a PostgreSQL server, and what the operator's last step removes from them.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Client } from "../../src/adapters/postgres/client.ts";
import { readConfig } from "../../src/config.ts";
import { operatorSession } from "../../src/cli/operate/operator-session.ts";
import { eraseTraces } from "../../src/cli/operate/erase-removed-content.ts";
import { placeOf } from "../../src/storage/open.ts";
import { sha256 } from "../support/agent.ts";
import { TestBoard } from "../support/board.ts";
import { codeBlocks } from "../support/code-blocks.ts";
import { eventually } from "../support/eventually.ts";
import { reasons } from "../support/operator.ts";
import { postgresServer } from "../support/postgres/server.ts";

const WORD = "zqxjkvword";
const TEXT = `the attachment says ${WORD}`;
const wordy = {
  kind: "task",
  title: `${WORD} in the title`,
  body: `${WORD} and more of it. `.repeat(20),
  data: { deep: [{ [WORD]: WORD }] },
  tags: [WORD],
  needs: [`${WORD}-need`],
  attachments: [{ sha256: sha256(TEXT), name: `${WORD}.txt`, mime: "text/plain", size: TEXT.length }],
};

/** Files of a directory that contain the word, by their folder. */
function holding(dir: string, word: string): string[] {
  const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.flatMap(({ parentPath, name }) => {
    try {
      return readFileSync(join(parentPath, name)).includes(word) ? [join(parentPath, name).slice(dir.length + 1)] : [];
    } catch (error) {
      // The server may delete files meanwhile.
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
      throw error;
    }
  });
}

test("a removed message is in no row, and after the steps that the docs name in no file of the server, its log included", async () => {
  const server = await postgresServer();
  const url = server.databaseUrl("postgres");
  const client = new Client({ url, connections: 1, name: "test", session: { statement_timeout: 0 } });
  try {
    // On a separate server, not on this run's.
    await using board = await TestBoard.start({ store: "sqlite", flags: ["--database-url", url] });
    const agent = board.agent();
    for (let i = 0; i < 30; i++)
      await board.put(agent, { kind: "note", title: `bystander ${i}`, body: "x".repeat(1000), tags: [`tag-${i}`] });
    const { id } = await board.put(agent, wordy, { [sha256(TEXT)]: TEXT });
    for (let i = 0; i < 30; i++) await board.put(agent, { kind: "note", title: `bystander ${i + 30}`, tags: [`tag-${i}`] });
    // As autovacuum does, and the checkpointer.
    await client.script("ANALYZE");
    await client.script("CHECKPOINT");
    const before = holding(server.dir, WORD);
    expect(before.some((path) => path.startsWith("base/"))).toBe(true);
    expect(before.some((path) => path.startsWith("pg_wal/"))).toBe(true);

    const config = readConfig(["--data", board.data, "--database-url", url], {});
    const office = operatorSession(config, await placeOf(config).openBeside(), { yes: true });
    await office.order({ do: "remove", target: id, reasons: reasons(), keepAttachments: false });
    expect(await eraseTraces(office)).toContain("PostgreSQL will gradually overwrite its space");
    await office.store.close();
    const tables = await client.query<{ name: string }>("SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'");
    for (const { name } of tables) {
      const [found] = await client.query<{ rows: number }>(`SELECT count(*)::int AS rows FROM ${name} t WHERE t::text LIKE $1`, [
        `%${WORD}%`,
      ]);
      expect(found, name).toEqual({ rows: 0 });
    }
    expect(
      await client.query("SELECT 1 FROM pg_stats WHERE most_common_vals::text LIKE $1 OR histogram_bounds::text LIKE $1", [`%${WORD}%`]),
    ).toEqual([]);

    const steps = codeBlocks(readFileSync("docs/moderation.md", "utf8")).filter(({ language }) => language === "sql");
    expect(steps.length).toBe(1);
    // A busy server may apply the setting too late, and then the steps have to be repeated.
    await eventually("no file holds it", async () => {
      for (const { text } of steps) for (const step of text.split(";\n")) await client.script(step);
      return holding(server.dir, WORD).length === 0 ? true : undefined;
    });
    expect((await board.get<{ messages: unknown[] }>("/api/messages?limit=200")).body.messages.length).toBe(60);
  } finally {
    await client.end();
    await server.remove();
  }
});
