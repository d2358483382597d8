// Checks that everything that a courier's settings name exists.
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { connect } from "../client/board-handle.ts";
import { getTime } from "../client/read.ts";
import { socketFault } from "./mcp-channel.ts";
import type { CourierConfig, Delivery } from "./config.ts";
import { SOCKET } from "./courier.ts";
import { requirePublic } from "./ssrf-safe-post.ts";
import { currentOf } from "./source.ts";

/** Returns what is missing or wrong. Sends nothing to a receiver, and quotes no secret. */
export async function checkCourier({ board, state, deliver }: CourierConfig, agent: string): Promise<readonly string[]> {
  const faults: string[] = [];
  const asked = connect(board, { attempts: 1 });
  await getTime(asked).catch((error: unknown) => faults.push(`the board: ${(error as Error).message}`));
  const signs = deliver.some(({ ack }) => ack !== "none");
  // An unreachable board is reported above.
  const current = signs ? await currentOf(asked, agent).catch(() => undefined) : undefined;
  if (typeof current === "string" && current !== agent)
    faults.push(
      `the key: ${current} acts for the agent now, and the board accepts no acknowledgement signed by ${agent}: give the new key`,
    );
  const socket = socketFault(join(state, SOCKET));
  if (socket !== undefined) faults.push(socket);
  for (const one of deliver) for (const fault of await faultsOf(one)) faults.push(`${one.name}: ${fault}`);
  return faults;
}

async function faultsOf(one: Delivery): Promise<readonly string[]> {
  switch (one.adapter) {
    case "exec":
      return programFaults(one.command);
    case "mcp-channel":
      return one.fallback === undefined ? [] : programFaults(one.fallback.command);
    case "webhook":
      return one.allow_private ? [] : addressFaults(one.url);
    case "ntfy":
      return one.allow_private ? [] : addressFaults(one.server);
  }
}

async function addressFaults(url: string): Promise<readonly string[]> {
  try {
    await requirePublic(new URL(url));
    return [];
  } catch (error) {
    return [(error as Error).message];
  }
}

function programFaults([program = ""]: readonly string[]): readonly string[] {
  const places = program.includes("/") ? [program] : (process.env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, program));
  if (places.some(isExecutable)) return [];
  const where = program.includes("/")
    ? ""
    : ` on the PATH; write ./${program} for a program in the directory of the settings file, or give its whole path`;
  return [`there is no executable program ${program}${where}`];
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
