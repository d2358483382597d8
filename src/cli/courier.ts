// `blackboard courier`: hands what comes into an inbox to a command, a webhook, a phone or a client that waits, and never forgets where it was.
import { join } from "node:path";
import type { Command } from "commander";
import { systemClock } from "../adapters/system/clock.ts";
import type { AgentKey } from "../client/key.ts";
import { visible } from "../core/view/markdown.ts";
import { checkCourier } from "../courier/check.ts";
import { type CourierConfig, CourierFaults, DEFAULT_CONFIG, readCourierConfig } from "../courier/config.ts";
import { runCourier, SOCKET } from "../courier/courier.ts";
import { stateFile } from "../courier/state.ts";
import { UsageFault } from "./failure.ts";
import { readKeyFile } from "./key-file.ts";

export function courierCommand(program: Command): void {
  const courier = program.command("courier").description("hand what comes into your inbox to a command, a webhook, ntfy or an MCP client");
  courier.option("--config <file>", "its one file of settings", DEFAULT_CONFIG);
  const config = (): string => courier.opts<{ readonly config: string }>().config;
  courier.action(() => run(config()));
  const check = courier.command("check").description("say whether the settings are right, and whether what they name is there");
  check.action(() => tellCheck(config()));
  const status = courier.command("status").description("say how far each delivery is, and what was set aside");
  status.action(() => tellStatus(config()));
}

interface Told {
  readonly config: CourierConfig;
  readonly key: AgentKey | undefined;
  readonly agent: string;
}

async function told(path: string): Promise<Told> {
  const config = settings(path);
  const key = config.keyFile === undefined ? undefined : await readKeyFile(config.keyFile);
  if (key !== undefined && config.agent !== undefined && key.agent !== config.agent)
    throw new UsageFault(
      `\`agent\` of ${path} is ${config.agent}, but the key is that of ${key.agent}: leave \`agent\` out, or give its key`,
    );
  return { config, key, agent: config.agent ?? key?.agent ?? "" };
}

function settings(path: string): CourierConfig {
  try {
    return readCourierConfig(path);
  } catch (error) {
    throw error instanceof CourierFaults ? new UsageFault(error.message, { cause: error }) : error;
  }
}

const write = (line: string): void => void process.stderr.write(visible(line));

async function run(path: string): Promise<void> {
  const stop = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => stop.abort());
  await runCourier({ ...(await told(path)), now: () => systemClock.now(), write }, stop.signal);
  // What it waits for may hold on for a while; everything that counts is on disk.
  process.exit(0);
}

async function tellCheck(path: string): Promise<void> {
  const { config, agent } = await told(path);
  const faults = await checkCourier(config);
  process.stdout.write(
    visible(
      [
        `board       ${config.board}`,
        `agent       ${agent}`,
        `state       ${config.state}`,
        `channel     ${join(config.state, SOCKET)}`,
        ...config.deliver.map(({ name, adapter, ack }) => `delivery    ${name}: ${adapter}, ack ${ack}`),
        ...(faults.length === 0 ? ["everything is there"] : faults.map((fault) => `fault       ${fault}`)),
        "",
      ].join("\n"),
    ),
  );
  if (faults.length > 0) throw new Error(`Not everything is there that ${path} names.`);
}

function tellStatus(path: string): void {
  const { state, deliver } = settings(path);
  for (const { name } of deliver) {
    const file = stateFile(state, name);
    const { cursor, failed } = file.read() ?? {};
    const trouble = failed === undefined ? "" : `, seq ${failed.seq} has failed ${failed.times} times`;
    process.stdout.write(visible(`${name}: ${cursor === undefined ? "not begun" : `delivered up to seq ${cursor}`}${trouble}\n`));
    for (const { id, seq, at, times, why } of file.allSetAside())
      process.stdout.write(visible(`  set aside ${id}, seq ${seq}, at ${at} after ${times} failures: ${why}\n`));
  }
}
