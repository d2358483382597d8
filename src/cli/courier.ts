// `blackboard courier`: delivers the messages of an inbox to a command, a webhook, a phone or a waiting client, and remembers its position.
import { join } from "node:path";
import type { Command } from "commander";
import { systemClock } from "../adapters/system/clock.ts";
import type { AgentKey } from "../client/key.ts";
import { visible } from "../core/view/fence.ts";
import { checkCourier } from "../courier/check-config.ts";
import { type CourierConfig, CourierFaults, DEFAULT_CONFIG, readCourierConfig } from "../courier/config.ts";
import { runCourier, SOCKET } from "../courier/courier.ts";
import { type DeliveryState, stateFile } from "../courier/state.ts";
import { UsageFault } from "./failure.ts";
import { readKeyFile } from "./key-file.ts";

export function courierCommand(program: Command): void {
  const courier = program
    .command("courier")
    .description("deliver the messages of your inbox to a command, a webhook, ntfy or an MCP client");
  courier.option("--config <file>", "the settings file", DEFAULT_CONFIG);
  const config = (): string => courier.opts<{ readonly config: string }>().config;
  courier.action(() => run(config()));
  const check = courier.command("check").description("check the settings, and that everything they name exists");
  check.action(() => tellCheck(config()));
  const status = courier.command("status").description("show how far each delivery is, and which messages were set aside");
  status.action(() => tellStatus(config()));
}

interface CourierSetup {
  readonly config: CourierConfig;
  readonly key: AgentKey | undefined;
  readonly agent: string;
}

async function setupFrom(path: string): Promise<CourierSetup> {
  const config = settings(path);
  const key = config.keyFile === undefined ? undefined : await readKeyFile(config.keyFile);
  if (key !== undefined && config.agent !== undefined && key.agent !== config.agent)
    throw new UsageFault(
      `\`agent\` of ${path} is ${config.agent}, but the key is that of ${key.agent}: leave out \`agent\`, or give the key of that agent`,
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
  await runCourier({ ...(await setupFrom(path)), now: () => systemClock.now(), write }, stop.signal);
  // Requests may still be waiting for a while; everything important is on disk.
  process.exit(0);
}

async function tellCheck(path: string): Promise<void> {
  const { config, agent } = await setupFrom(path);
  const faults = await checkCourier(config, agent);
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
  if (faults.length > 0) throw new Error(`Something that ${path} names does not exist.`);
}

function tellStatus(path: string): void {
  const { state, deliver } = settings(path);
  const unreadable: string[] = [];
  for (const { name } of deliver) {
    const file = stateFile(state, name);
    let saved: DeliveryState | undefined;
    try {
      saved = file.read();
    } catch (error) {
      // The others are shown all the same.
      process.stdout.write(visible(`${name}: ${(error as Error).message}\n`));
      unreadable.push(name);
      continue;
    }
    const { cursor, failed } = saved ?? {};
    const trouble = failed === undefined ? "" : `, seq ${failed.seq} has failed ${failed.times} times`;
    process.stdout.write(visible(`${name}: ${cursor === undefined ? "not begun" : `delivered up to seq ${cursor}`}${trouble}\n`));
    for (const { id, seq, at, times, why } of file.allSetAside())
      process.stdout.write(visible(`  set aside ${id}, seq ${seq}, at ${at} after ${times} failures: ${why}\n`));
  }
  if (unreadable.length > 0) throw new Error(`The state of ${unreadable.join(", ")} cannot be read.`);
}
