// Whether everything that a courier's settings name is there, before it is needed in the night.
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { connect } from "../client/connect.ts";
import { getTime } from "../client/read.ts";
import type { CourierConfig, Delivery } from "./config.ts";
import { requirePublic } from "./public-address.ts";

/** What is not; nothing is sent to a receiver, and no secret is repeated. */
export async function checkCourier({ board, deliver }: CourierConfig): Promise<readonly string[]> {
  const faults: string[] = [];
  await getTime(connect(board, { attempts: 1 })).catch((error: unknown) => faults.push(`the board: ${(error as Error).message}`));
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
  return places.some(isExecutable) ? [] : [`there is no program ${program} that may be run`];
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
