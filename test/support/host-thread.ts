// A thread that runs the module of a board's thread for one board after the other.
import { parentPort } from "node:worker_threads";
import type { ThreadModule } from "../../src/adapters/system/start-thread.ts";
import type { HostedStart } from "./reused-threads.ts";

parentPort?.on("message", (start: HostedStart) => {
  start.port.once("close", () => parentPort?.postMessage("ended"));
  // An error in it ends this thread, as in any other thread.
  void host(start);
});

async function host({ module, data, port }: HostedStart): Promise<void> {
  const { run } = (await import(module)) as ThreadModule;
  await run(port, data);
}
