// A thread that runs a thread's module for one board after the other.
import { parentPort } from "node:worker_threads";
import type { ThreadModule } from "../../src/adapters/system/start-thread.ts";
import type { HostedStart } from "./kept-threads.ts";

parentPort?.on("message", (start: HostedStart) => {
  start.port.once("close", () => parentPort?.postMessage("ended"));
  // What it fails with ends this thread, as it would any other.
  void host(start);
});

async function host({ module, data, port }: HostedStart): Promise<void> {
  const { run } = (await import(module)) as ThreadModule;
  await run(port, data);
}
