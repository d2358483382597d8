// Measures how long a post takes to wake an agent, by each adapter of the courier and by the hook, with real processes at both ends.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { readKeyFile, writeKeyFile } from "../src/cli/key-file.ts";
import { makeKey } from "../src/client/key.ts";
import { SOCKET } from "../src/courier/courier.ts";
import { Agent } from "../test/support/agent.ts";
import { ACTING_AGENT, actsIn, courierFile, SECRET, TestCourier } from "../test/support/courier.ts";
import { eventually } from "../test/support/eventually.ts";
import { killAtExit } from "../test/support/leftovers.ts";
import { McpClient } from "../test/support/mcp-client.ts";
import { NtfyServer } from "../test/support/ntfy-server.ts";
import { BoardProcess } from "./support/board-process.ts";
import type { Figure } from "./support/figure.ts";
import { Scratch } from "./support/scratch.ts";

const POSTS = 10;
const BIN = fileURLToPath(new URL("../src/bin.ts", import.meta.url));

/** A receiver that sleeps until it is woken; `woken` says whether it has acted on this message. */
interface Sleeper extends AsyncDisposable {
  woken(id: string): Promise<boolean> | boolean;
}

interface Place {
  readonly url: string;
  readonly dir: string;
  readonly agent: string;
  readonly keyFile: string;
}

export async function wakeBench(): Promise<readonly Figure[]> {
  using dir = new Scratch();
  await using board = await BoardProcess.start(join(dir.path, "data"));
  const url = `http://127.0.0.1:${board.port}`;
  const figures: Figure[] = [];
  for (const [name, fallAsleep] of Object.entries(SLEEPERS)) {
    const home = mkdtempSync(join(dir.path, "sleeper-"));
    const keyFile = join(home, "agent.key");
    writeKeyFile(keyFile, await makeKey());
    const { agent } = await readKeyFile(keyFile);
    await using sleeper = await fallAsleep({ url, dir: home, agent, keyFile });
    const times: number[] = [];
    for (let n = 0; n < POSTS; n++) {
      const id = await post(url, agent, n);
      const posted = performance.now();
      await eventually(`${name} acts`, async () => ((await sleeper.woken(id)) ? true : undefined));
      times.push(performance.now() - posted);
    }
    times.sort((a, b) => a - b);
    const [half, most] = [times[Math.floor(times.length / 2)] ?? Number.NaN, times.at(-1) ?? Number.NaN];
    console.log(`${name}: acts ${half.toFixed(0)} ms after the answer to the post (median of ${POSTS}), ${most.toFixed(0)} ms at most`);
    figures.push({ name: `${name}: acts after`, value: half, unit: "ms", better: "less" });
    figures.push({ name: `${name}: acts after, at most`, value: most, unit: "ms", better: "less" });
  }
  return figures;
}

async function post(url: string, to: string, n: number): Promise<string> {
  const body = JSON.stringify(new Agent().envelope({ kind: "note", title: `wake up ${n}`, to }));
  const answer = await fetch(`${url}/api/messages`, { method: "POST", headers: { "content-type": "application/json" }, body });
  if (answer.status !== 201) throw new Error(`expected 201, got ${answer.status}`);
  return ((await answer.json()) as { readonly id: string }).id;
}

const SLEEPERS: Readonly<Record<string, (place: Place) => Promise<Sleeper>>> = {
  exec: async (place) => {
    const acts = join(place.dir, "acts.db");
    return asleep(await courierWith(place, { adapter: "exec", command: [process.execPath, ACTING_AGENT, "exec", acts] }), acts);
  },
  webhook: async (place) => {
    const acts = join(place.dir, "acts.db");
    const { child, address } = await readyProcess([ACTING_AGENT, "serve", acts, "0", SECRET]);
    const courier = await courierWith(place, { adapter: "webhook", url: address, secret: SECRET, allow_private: true });
    return asleep(courier, acts, child);
  },
  // A process that waits for its topic, and reads the message from the board.
  ntfy: async (place) => {
    const acts = join(place.dir, "acts.db");
    const server = await NtfyServer.start();
    const { child } = await readyProcess([ACTING_AGENT, "ntfy", acts, `${server.url}/wake/json`, place.url]);
    const courier = await courierWith(place, { adapter: "ntfy", server: server.url, topic: "wake", allow_private: true });
    const sleeper = asleep(courier, acts, child);
    return {
      woken: (id) => sleeper.woken(id),
      async [Symbol.asyncDispose]() {
        await sleeper[Symbol.asyncDispose]();
        await server[Symbol.asyncDispose]();
      },
    };
  },
  "mcp-channel": async (place) => {
    const courier = await courierWith(place, { adapter: "mcp-channel", ack_within_s: 3600, fallback: { command: ["/bin/true"] } });
    const mcp = new McpClient("2025-11-25");
    const read = new Set<string>();
    mcp.client.fallbackNotificationHandler = async ({ method, params }) => {
      const id = (params?.["meta"] as { readonly first?: string } | undefined)?.first;
      if (method !== "notifications/claude/channel" || id === undefined) return;
      await mcp.done("get_message", { id });
      read.add(id);
    };
    const args = [BIN, "mcp", "--url", place.url, "--key-file", place.keyFile, "--channel", join(courier.config.state, SOCKET)];
    await mcp.client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: "ignore" }));
    await mcp.client.listTools();
    // The bridge soon finds the courier; until then it uses the fallback.
    for (let n = 0; read.size === 0; n++) {
      const id = await post(place.url, place.agent, -1 - n);
      await eventually("told or handed on", () => (read.has(id) || courier.said.includes("delivered") ? true : undefined));
    }
    return {
      woken: (id) => read.has(id),
      async [Symbol.asyncDispose]() {
        await mcp[Symbol.asyncDispose]();
        await courier.stop();
      },
    };
  },
  // Nobody wakes a harness. It runs the command at the end of a turn, and continues if the command exits with 2.
  "hook stop": async ({ url, dir, keyFile }) => {
    const run = async (): Promise<{ code: number | null; said: string }> => {
      const args = [BIN, "hook", "stop", "--url", url, "--key-file", keyFile, "--state", join(dir, "told.json")];
      const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "pipe"] });
      let said = "";
      child.stderr.on("data", (chunk: Buffer) => (said += String(chunk)));
      const [code] = (await once(child, "close")) as [number | null];
      return { code, said };
    };
    await run();
    return {
      async woken(id) {
        const { code, said } = await run();
        return code === 2 && said.includes(id);
      },
      async [Symbol.asyncDispose]() {},
    };
  },
};

async function courierWith({ url, dir, agent }: Place, delivery: object): Promise<TestCourier> {
  const courier = new TestCourier(courierFile({ board: url, agent, from: "now", deliver: [delivery] }, dir), agent);
  await eventually("the courier", () => (courier.said.includes("begins after") ? true : undefined));
  return courier;
}

const asleep = (courier: TestCourier, acts: string, child?: ChildProcess): Sleeper => ({
  woken: (id) => actsIn(acts).some((one) => one.id === id),
  async [Symbol.asyncDispose]() {
    await courier.stop();
    child?.kill("SIGKILL");
  },
});

async function readyProcess(args: readonly string[]): Promise<{ readonly child: ChildProcess; readonly address: string }> {
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  killAtExit(child);
  for await (const chunk of child.stdout) {
    const address = /ready at (\S+)/.exec(String(chunk))?.[1];
    if (address !== undefined) return { child, address };
  }
  throw new Error("The receiver did not start.");
}
