// The operator's guides, followed from top to bottom: a machine, a service, a report, a backup, a move, PostgreSQL, a second node.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Client } from "../../src/adapters/postgres/client.ts";
import { selfSigned } from "../support/certificate.ts";
import { type CodeBlock, codeBlocks } from "../support/code-blocks.ts";
import { Machine } from "../support/machine.ts";
import { postgresServer } from "../support/postgres/server.ts";
import { emptyDirectory } from "../support/process.ts";
import { withFreePort } from "../support/smtp.ts";

const read = (page: string): readonly CodeBlock[] => codeBlocks(readFileSync(join(import.meta.dirname, "../../docs", page), "utf8"));

/** Languages of blocks that are not commands, but the content of a file or the output of a program. */
const SHOWN = ["ini", "yaml", "output", ""];
/** The text as it is in the guides. */
const addressOf = (database: string): string => `postgres://blackboard@localhost/${database}?host=/run/postgresql`;
const DATABASES = ["blackboard", "empty"];

/** Runs these blocks of a page, or all of them; what the page shows as output must be printed. */
async function follow(page: string, machine: Machine, which: (block: CodeBlock) => boolean = () => true): Promise<void> {
  let printed = "";
  for (const block of read(page)) {
    const { language, text, heading, noRun } = block;
    if (noRun || !which(block)) continue;
    if (language === "sh") printed = await machine.run(text);
    else if (language === "output") expectLines(printed, machine.here(text), `${page}, ${heading}`);
    else expect(SHOWN, `${page}, ${heading}: ${text}`).toContain(language);
  }
}

/** Each line in this order, with others in between; `...` stands for any text. */
function expectLines(printed: string, shown: string, where: string): void {
  const lines = printed.split("\n");
  for (const line of shown.split("\n")) {
    const pattern = new RegExp(
      `^${line
        .split("...")
        .map((words) => RegExp.escape(words))
        .join(".*")}$`,
    );
    const at = lines.findIndex((one) => pattern.test(one.trimEnd()));
    expect(at, `${where}: no line like ${JSON.stringify(line)} in\n${printed}`).toBeGreaterThanOrEqual(0);
    lines.splice(0, at + 1);
  }
}

/** The blocks under this heading that contain these words. */
const under =
  (name: string, words = "") =>
  ({ heading, text }: CodeBlock): boolean =>
    heading === name && text.includes(words);

interface Checkpoint {
  readonly board: string;
  readonly seq: number;
  readonly payload: string;
}
const originOf = ({ payload }: Checkpoint): string => (JSON.parse(payload) as { origin: string }).origin;
const checkpoint = async ({ url }: Machine): Promise<Checkpoint> => (await (await fetch(`${url}/api/checkpoint`)).json()) as Checkpoint;

/** Three free ports; if another process takes one first, everything is done again with others. */
const withPorts = (begin: (ports: readonly [number, number, number]) => Promise<void>): Promise<void> =>
  withFreePort((one) => withFreePort((two) => withFreePort((three) => begin([one, two, three]))));

test("an operator who follows the guides from an empty machine has a board, a removal, a backup, another machine and a second node", async () => {
  const server = await postgresServer();
  try {
    await withPorts(async (ports) => {
      const parent = emptyDirectory();
      const admin = new Client({ url: server.databaseUrl("postgres"), connections: 1, name: "test" });
      for (const name of DATABASES) {
        await admin.script(`DROP DATABASE IF EXISTS ${name}`);
        await admin.script(`CREATE DATABASE ${name}`);
      }
      await admin.end();
      const replaced = DATABASES.map((name) => [addressOf(name), server.databaseUrl(name)] as const);
      await using first = new Machine({ name: "board.example", parent, port: ports[0], replaced });
      await using second = new Machine({ name: "new.example", parent, port: ports[1], replaced });
      await using third = new Machine({ name: "node2.example", parent, port: ports[2], replaced });

      // The files that certbot would have made.
      const live = join(first.root, "etc/letsencrypt/live/board.example");
      const { cert, key } = selfSigned("board.example");
      mkdirSync(live, { recursive: true });
      writeFileSync(join(live, "fullchain.pem"), cert);
      writeFileSync(join(live, "privkey.pem"), key);

      await follow("install.md", first);
      await follow("public-board.md", first);
      const { board, seq } = await checkpoint(first);
      expect(seq).toBeGreaterThan(1);
      const id = (await first.run('echo "$id"')).trim();
      expect(id).toMatch(/^[0-9a-f]{64}$/);
      await follow("operate.md", first, under("Upgrade"));
      expect(await checkpoint(first)).toMatchObject({ board });
      await follow("operate.md", first, under("Make a backup", "--data /"));
      await first.run("systemctl stop blackboard");
      await follow("operate.md", first, under("Restore it", "--data /"));
      await first.run("systemctl start blackboard");
      expect(await checkpoint(first)).toMatchObject({ board, seq });

      // As the guide says: the program and the service, but not started.
      const service = read("install.md").find(({ text }) => text.includes("systemctl enable"));
      const unstarted = service?.text.split("\n").filter((line) => !/systemctl (enable|status)/.test(line));
      for (const machine of [second, third]) await machine.run(unstarted?.join("\n") ?? "");

      await follow("moving.md", first, under("On the old machine"));
      await follow("moving.md", second, under("On the new machine"));
      expect(await checkpoint(second)).toMatchObject({ board, seq });

      // The settings were copied too, and with them the name of the first machine.
      expect(originOf(await checkpoint(second))).toBe(first.url);
      await follow("moving.md", second, under("To another name"));
      const renamed = await checkpoint(second);
      expect(renamed).toMatchObject({ board, seq });
      expect(originOf(renamed)).toBe(second.url);

      await follow("moving.md", second, under("From SQLite to PostgreSQL, and back"));
      await second.run("sudo systemctl start blackboard");
      await follow("operate.md", second, under("Make a backup", "--database-url"));
      await follow("operate.md", second, under("Restore it", "--database-url"));
      await follow("nodes.md", second, under("The first node"));
      await follow("nodes.md", third, under("Every other node"));
      expect(await checkpoint(third)).toMatchObject({ board, seq });

      // It is one board: a post on one node is read on the other, and a message removed on the first machine is gone here too.
      await second.run(
        'blackboard keygen --key-file ~/agent.key && blackboard post note --title "Over two nodes" --url https://board.example --key-file ~/agent.key',
      );
      expect(await third.run("blackboard list --url https://board.example")).toContain("Over two nodes");
      expect((await fetch(`${third.url}/api/messages/${id}`)).status).toBe(410);
    });
  } finally {
    await server.remove();
  }
});

test("blocks that a test machine cannot run are marked in the guides, and are these", () => {
  const pages = ["install.md", "mail.md", "moderation.md", "moving.md", "nodes.md", "operate.md", "proxy.md", "public-board.md"];
  const marked = pages.flatMap((page) => read(page).flatMap(({ noRun, text }) => (noRun ? [`${page}: ${text.split("\n")[0] ?? ""}`] : [])));
  expect(marked).toEqual([
    // test/clients/examples.test.ts, test/deploy/package.test.ts and test/deploy/deploy-image.test.ts do the same in their own way.
    "install.md: npm install",
    "install.md: npm install",
    "install.md: sudo npm install --global ./agent-blackboard-0.1.0.tgz",
    "install.md: curl -fsSL https://deb.nodesource.com/setup_24.x | sudo -E bash -",
    "install.md: sudo tar -xJf node-v24.*-linux-*.tar.xz -C /usr/local --strip-components=1",
    "install.md: docker build --tag blackboard .",
    "install.md: docker exec board blackboard operate stats",
    // It serves until it is stopped; test/pages/operator-pages.test.ts reads its flags. The firewall is the machine's.
    "mail.md: blackboard serve --smtp-host :: --mail-domain board.example",
    "mail.md: nft add table inet blackboard",
    "nodes.md: sudo -u postgres createuser --no-superuser --no-createdb --no-createrole blackboard",
    `operate.md: blackboard serve --on-report 'mail -s "report $REPORT_ID: $REPORT_CATEGORY" abuse@board.example < /dev/null'`,
    // test/log/change-key.test.ts announces one, and waits for a week.
    "operate.md: blackboard operate change-key board --data /var/lib/blackboard",
    // It serves until it is stopped.
    "operate.md: mv /var/lib/blackboard/board.key /root/old-board.key   # if it is still there",
    "operate.md: git pull && npm install && npm start",
    // test/deploy/deploy-proxy.test.ts runs both proxies.
    "proxy.md: sudo apt-get install -y caddy",
    "proxy.md: sudo apt-get install -y nginx certbot",
    "proxy.md: curl -s https://board.example/api/time",
  ]);
});
