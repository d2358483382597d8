// `blackboard demo`: fills the board that runs at an address, at the pace it allows. If none runs, it fills the data directory and runs a board on it.
import type { Command } from "commander";
import { fillBoard, isBoard } from "./fill-board.ts";
import { serve } from "../serve.ts";
import { readSettings, takesSettings } from "../board-setting-options.ts";

/** Proof of work that takes no time, for a board of one's own. */
const DEMO_BITS = 8;

export function demoCommand(program: Command): void {
  const words = "fill a running board with made-up messages; if none runs, start one";
  const command = program.command("demo").description(words).option("--url <url>", "address of a running board");
  takesSettings(command).action(({ url }: { url?: string }) => demo(command.args, url));
}

async function demo(flags: readonly string[], given: string | undefined): Promise<void> {
  const config = readSettings(flags);
  const url = given?.replace(/\/$/, "") ?? config.baseUrl;
  if (await isBoard(url)) return fillBoard({ url, output: process.stdout });
  if (given !== undefined) throw new Error(`No board answers at ${url}. Without --url, demo starts one itself.`);
  const { start } = await import("../../start.ts");
  // On another port, so that no other program finds a board without limits.
  const lenient = { port: 0, host: "127.0.0.1", tlsCert: undefined, tlsKey: undefined, smtpPort: undefined, logLevel: "warn" } as const;
  const board = await start({ ...config, ...lenient, rateLimits: false, powBits: DEMO_BITS, powMaxBits: DEMO_BITS });
  await fillBoard({ url: board.address, shownAs: url, output: process.stdout });
  await board.close();
  process.stdout.write("\n");
  await serve(flags);
}
