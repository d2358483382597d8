// The package as users get it: built, packed, installed into an empty directory, and run from there.
import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { noteGroup } from "../support/leftovers.ts";
import { BoardProcess, emptyDirectory } from "../support/process.ts";
import { allOnPath } from "../support/on-path.ts";
import { runPython } from "../support/python.ts";

const ROOT = resolve(import.meta.dirname, "../..");
/** Every file and folder that the package is built from. */
// oxfmt-ignore
const SOURCES = [
  ".npmrc", "CHANGELOG.md", "LICENSE", "README.md", "clients", "demo", "deploy", "docs", "icons", "manual", "models", "package.json", "src", "tsconfig.build.json", "tsconfig.json",
];

const node = dirname(process.execPath);
/** npm leaves no logs beside the user's cache. */
const env = { ...process.env, PATH: `${node}:${process.env["PATH"]}`, npm_config_logs_dir: emptyDirectory() };
const npm = (args: readonly string[], cwd: string) => promisify(execFile)("npm", [...args], { cwd, env, maxBuffer: 1e8 });

const majorOf = (version: string): number => Number(/\d+/.exec(version)?.[0]);
const { engines } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { engines: { node: string } };
/** A Node.js on the path that is older than the package requires, if there is one. */
const old = allOnPath("node").find((path) => majorOf(execFileSync(path, ["--version"], { encoding: "utf8" })) < majorOf(engines.node));

let home: string;
let board: BoardProcess;
const bin = () => join(home, "node_modules/agent-blackboard/dist/bin.js");
const run = async (...args: readonly string[]) => BoardProcess.spawn({ args, bin: bin(), cwd: home }).ended;

beforeAll(async () => {
  const copy = emptyDirectory();
  for (const name of SOURCES) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
  const packed = emptyDirectory();
  await npm(["pack", "--pack-destination", packed], copy);
  home = emptyDirectory();
  await npm(
    ["install", "--prefer-offline", "--no-audit", "--no-fund", "--prefix", home, ...readdirSync(packed).map((name) => join(packed, name))],
    home,
  );
  board = BoardProcess.spawn({ args: ["serve", "--port", "0", "--smtp-port", "0", "--data", join(home, "data")], bin: bin(), cwd: home });
  await board.ready();
});
afterAll(() => board[Symbol.asyncDispose]());

test("runs a board: a message is posted with its command, and read by everybody else", async () => {
  const key = ["--key-file", join(home, "agent.key"), "--url", board.url];
  expect((await run("keygen", "--key-file", join(home, "agent.key"))).code).toBe(0);
  const asked = await run("ask", "Does the package work?", "--tag", "Package", ...key);
  expect(asked).toMatchObject({ code: 0 });
  const list = (await (await fetch(`${board.url}/api/messages?tag=package`)).json()) as { messages: { meta: { title: string } }[] };
  expect(list.messages.map(({ meta }) => meta.title)).toEqual(["Does the package work?"]);
  const page = await (await fetch(board.url, { headers: { accept: "text/html" } })).text();
  expect(page).toContain("Does the package work?");
  const [, style] = /<link rel="stylesheet" href="([^"]+)"/.exec(page) ?? [];
  expect((await fetch(new URL(style ?? "", board.url))).status).toBe(200);
  const operated = await run("operate", "stats", "--data", join(home, "data"));
  expect(operated).toMatchObject({ code: 0, stderr: "" });
  expect(operated.stdout).toMatch(/messages\s+1/);
});

test("`npx blackboard serve` starts a board without the network, and Ctrl-C ends it", async () => {
  const args = ["--offline", "blackboard", "serve", "--port", "0", "--smtp-port", "0", "--data", join(home, "npx-data")];
  // A group of its own, because a terminal sends Ctrl-C to npx and to the board.
  const npx = spawn("npx", args, { cwd: home, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  noteGroup(Number(npx.pid));
  let [stdout, stderr] = ["", ""];
  npx.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  npx.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const closed = once(npx, "close");
  const started = eventually("the address of the board", () => /https?:\/\/\S+/.exec(stdout)?.[0]);
  const url = await Promise.race([started, closed.then(() => `npx ended: ${stderr}`)]);
  expect(url).toMatch(/^http:/);
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
  process.kill(-Number(npx.pid), "SIGINT");
  await closed;
  await expect(fetch(`${url}/readyz`)).rejects.toThrow();
});

test("serves the Python client, which works as it comes", async () => {
  const file = join(home, "client.py");
  await promisify(execFile)("curl", ["-sSfo", file, `${board.url}/client.py`]);
  const listed = await runPython([file, "search", "package"], { cwd: home });
  expect(listed).toMatchObject({ code: 0 });
  expect(listed.stdout).toContain("Does the package work?");
});

test("brings its documents and the files to deploy it with", () => {
  const inside = (name: string) => readdirSync(join(home, "node_modules/agent-blackboard", name));
  expect(inside("docs")).toContain("operate.md");
  expect(inside("deploy")).toContain("blackboard.service");
});

test("fills an empty board with the demo's messages, which come with it", async () => {
  const args = ["demo", "--port", "0", "--smtp-port", "0", "--data", join(home, "demo-data")];
  await using demo = BoardProcess.spawn({ args, bin: bin(), cwd: home });
  const posted = eventually("the end of the demo", () => /Posted \d{3} messages of \d+ agents/.exec(demo.stdout)?.[0]);
  expect(await Promise.race([posted, demo.ended])).toMatch(/^Posted/);
});

test.skipIf(old === undefined)(
  `says in one line that a Node.js is too old for it${old === undefined ? " (skipped: no older Node.js is on the path)" : ""}`,
  async () => {
    const said = await promisify(execFile)(old ?? "", [bin(), "--version"]).catch((error: unknown) => error);
    const version = execFileSync(old ?? "", ["--version"], { encoding: "utf8" }).trim();
    expect(said).toMatchObject({ code: 1, stdout: "" });
    const { stderr } = said as { stderr: string };
    expect(stderr).toMatch(/^[^\n]+\n$/);
    expect(stderr).toContain(`needs Node.js ${majorOf(engines.node)} or newer; this is ${version}.`);
    // The guide shows the same line.
    expect(readFileSync(join(ROOT, "docs/install.md"), "utf8")).toContain(`\n${stderr.replace(version, "v20.20.2")}`);
  },
);
