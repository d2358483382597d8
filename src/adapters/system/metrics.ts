// Figures for the operator in Prometheus form, and faults into the log.
import type { Logger } from "pino";
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import type { Report } from "../../ports/report.ts";

export interface Metrics extends Report {
  readonly text: () => Promise<string>;
  readonly observe: (operation: string, status: number, ms: number) => void;
  /** A figure read when somebody asks for it. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void;
}

export function metrics(log: Logger): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: "blackboard_request_seconds",
    help: "Time to answer a request, by operation and status.",
    labelNames: ["operation", "status"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    registers,
  });
  const batches = new Histogram({
    name: "blackboard_batch_acts",
    help: "Acts committed by one transaction.",
    buckets: [1, 2, 4, 8, 16, 32, 64, 128],
    registers,
  });
  const faults = new Counter({
    name: "blackboard_faults_total",
    help: "Faults that no caller can mend, by place.",
    labelNames: ["place"],
    registers,
  });
  // Finding a figure by its labels costs more than moving it.
  const answered = new Map<string, Map<number, { observe(seconds: number): void }>>();
  return {
    text: () => registry.metrics(),
    observe(operation, status, ms) {
      let of = answered.get(operation);
      if (of === undefined) answered.set(operation, (of = new Map()));
      let figure = of.get(status);
      if (figure === undefined) of.set(status, (figure = requests.labels({ operation, status })));
      figure.observe(ms / 1000);
    },
    appended: (acts) => batches.observe(acts),
    failed(place, error) {
      faults.inc({ place });
      log.error({ err: error, place }, "fault");
    },
    gauge(name, help, read) {
      new Gauge({
        name,
        help,
        registers,
        async collect() {
          this.set(await read());
        },
      });
    },
  };
}
