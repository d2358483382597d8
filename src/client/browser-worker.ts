// The module that a browser's Worker runs to mine: takes one order and reports its progress; its starter ends it.
import { type MiningOrder, type MiningReport, workOn } from "./mine-workers.ts";

interface WorkerScope {
  addEventListener(type: "message", listener: (event: { readonly data: MiningOrder }) => void): void;
  postMessage(report: MiningReport): void;
}

const scope = globalThis as unknown as WorkerScope;
scope.addEventListener("message", ({ data }) => workOn(data, (report) => scope.postMessage(report)));
