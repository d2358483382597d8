// `blackboard healthcheck`: asks the board that runs with these settings whether it is ready; for containers and supervisors.
import { once } from "node:events";
import { get as getHttp, type IncomingMessage } from "node:http";
import { get as getHttps } from "node:https";
import { text } from "node:stream/consumers";
import type { Command } from "commander";
import type { Config } from "../config.ts";
import { readSettings, takesSettings } from "./board-setting-options.ts";

const WAIT_MS = 5000;
/** A board that listens on all addresses is asked at the loopback address. */
const EVERYWHERE: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

export function healthcheckCommand(program: Command): void {
  const command = program.command("healthcheck").description("ask the board with these settings whether it is ready; exits with 0 or 1");
  takesSettings(command).action(() => healthcheck(readSettings(command.args)));
}

async function healthcheck({ host, port, tlsCert }: Config): Promise<void> {
  if (port === 0)
    throw new Error("The port of this board was chosen by the system, so it cannot be found by its settings. Give --port or PORT.");
  const options = { host: EVERYWHERE[host] ?? host, port, path: "/readyz", signal: AbortSignal.timeout(WAIT_MS) };
  // The certificate is for the public name, not for this address; and only the board's readiness is asked for.
  const request = tlsCert === undefined ? getHttp(options) : getHttps({ ...options, rejectUnauthorized: false });
  const [answer] = (await once(request, "response").catch((error: unknown) => {
    throw new Error(`No board answers at port ${port} of ${options.host}: ${(error as Error).message}`);
  })) as [IncomingMessage];
  process.stdout.write(`${await text(answer)}\n`);
  // A board that refuses because other programs at this address ask too much does its work.
  process.exitCode = answer.statusCode === 200 || answer.statusCode === 429 ? 0 : 1;
}
