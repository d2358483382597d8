// Runs every code block of the README as it is, and checks that the manual's programs waste no work. newcomer.test.ts runs the manual's
// blocks.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, expect, test } from "vitest";
import { bash, codeBlocks, patientPath } from "../support/code-blocks.ts";
import { noteGroup } from "../support/leftovers.ts";
import { BoardProcess, emptyDirectory } from "../support/process.ts";

const ROOT = resolve(import.meta.dirname, "../..");

test("the manual's programs mine nothing that the board would refuse, or has already", async () => {
  const programsOf = async (url: string): Promise<string> => {
    const home = emptyDirectory();
    for (const { text, lead } of codeBlocks(await (await fetch(`${url}/llms-full.txt`)).text())) {
      const [, file] = /^Save as `([\w.]+)`/.exec(lead) ?? [];
      if (file !== undefined) writeFileSync(join(home, file), text);
    }
    return home;
  };
  const run = (home: string, fields: object): Promise<string> =>
    bash(`for program in 'node post.mjs' 'python3 post.py'; do $program '${JSON.stringify(fields)}' 2>&1 || true; done`, home);
  // More work than anybody can do.
  await using dear = await BoardProcess.serve(emptyDirectory(), ["--pow-bits", "60", "--pow-max-bits", "60"]);
  const refused = await run(await programsOf(dear.url), { kind: "claim", refs: [{ rel: "claims", id: "f".repeat(64) }] });
  expect(refused.match(/^409 target_unknown .+$/gm)).toHaveLength(2);
  await using board = await BoardProcess.serve(emptyDirectory(), ["--pow-bits", "8"]);
  const home = await programsOf(board.url);
  const note = { kind: "note", title: "Said once", ts: Math.floor(Date.now() / 1000) };
  const [first, again] = [await run(home, note), await run(home, note)];
  expect(first).toMatch(/^[0-9a-f]{64}\n[0-9a-f]{64}\n$/);
  expect(again).toBe(first);
});

/** Commands that run until they are stopped. */
const SERVERS = ["npm start", "npm run demo"];

const running: ChildProcess[] = [];
afterAll(() => Promise.all(running.map(stop)));

/** Starts a server in its own process group, so that it ends with everything it has started. */
async function serve(
  command: string,
  env: Readonly<Record<string, string>>,
): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const child = spawn("bash", ["-c", command], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
  });
  running.push(child);
  if (child.pid !== undefined) noteGroup(child.pid);
  let said = "";
  const url = await new Promise<string>((done, fail) => {
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      const [, address] = /^blackboard ready at (\S+)\n/m.exec(said) ?? [];
      if (address !== undefined) done(address);
    });
    child.once("exit", () => fail(new Error(`\`${command}\` ended before it was ready: ${said}`)));
  });
  return { child, url };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  process.kill(-child.pid, "SIGTERM");
  await ended;
}

test("the README: every command of it runs, on a port and in a directory of the test's own", async () => {
  const readme = readFileSync(join(ROOT, "README.md"), "utf8");
  const blocks = codeBlocks(readme);
  expect(blocks).toHaveLength((readme.match(/^ *```/gm)?.length ?? 0) / 2);
  const envFor = (): Record<string, string> => ({
    PORT: "0",
    BOARD_DATA_DIR: emptyDirectory(),
    BOARD_SMTP_PORT: "0",
    BOARD_POW_BITS: "8",
    BOARD_LOG_LEVEL: "silent",
  });
  const home = envFor();
  let url = "";
  const configs = blocks.filter(({ language }) => language === "json");
  const commands = blocks.filter((one) => !configs.includes(one));
  // What is already installed need not be installed again.
  const lines = commands.flatMap(({ language, text }) => {
    expect(["sh", "bash"], text).toContain(language);
    return text.split("\n").map((line) => line.replace(/^npm (install|ci) && /, ""));
  });
  expect(existsSync(join(ROOT, "node_modules"))).toBe(true);
  for (const line of lines.filter((one) => one.trim() !== "" && !one.startsWith("#"))) {
    if (line === "npm test") {
      const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { scripts: Record<string, string> };
      // That command runs this very test.
      expect(scripts["test"]).toContain("test:unit");
    } else if (line === SERVERS[0]) url = (await serve(line, home)).url;
    else if (SERVERS.includes(line)) await stop((await serve(line, envFor())).child);
    else {
      const here = line.replaceAll("localhost:8787", new URL(url).host).replace("first-post.mjs", `first-post.mjs ${url}`);
      // Files that a command saves must not end up in the project.
      const cwd = here.includes("docs/") ? ROOT : emptyDirectory();
      const output = await bash(here.includes("curl -N") ? `${here} || true` : here, cwd, {
        ...home,
        PATH: patientPath(),
        BLACKBOARD_URL: url,
      });
      expect(output, line).not.toBe("");
      expect(output, line).not.toContain('{"error":');
    }
  }
  expect(configs.length).toBeGreaterThan(0);
  for (const { text } of configs) {
    const { mcpServers } = JSON.parse(text) as { mcpServers: { blackboard: { url: string } } };
    const transport = new StreamableHTTPClientTransport(new URL(mcpServers.blackboard.url.replace("localhost:8787", new URL(url).host)));
    const client = new Client({ name: "reader", version: "1" });
    await client.connect(transport);
    expect((await client.listTools()).tools.length).toBeGreaterThan(10);
    await client.close();
  }
});
