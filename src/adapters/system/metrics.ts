// Metrics for the operator in Prometheus format; writes faults into the log.
import type { Logger } from "pino";
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import { ERRORS, type ErrorCode } from "../../core/errors.ts";
import { MINUTE_MS } from "../../core/durations.ts";
import { slice, sliceOfPromises } from "../../ports/cpu-slices.ts";
import { type MailReport, type FaultPlace, FAULT_PLACES, type RequestReport } from "../../ports/telemetry.ts";

export interface Metrics extends RequestReport, MailReport {
  /** At the cost of the caller. */
  readonly text: () => Promise<string>;
  readonly observe: (operation: string, status: number, ms: number) => void;
  /** A fault that is logged elsewhere. */
  counted(place: FaultPlace): void;
  /** A gauge that is read on request; left out if it cannot be read. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void;
  /** Constants of the running board, as labels of a metric that is always 1. */
  info(name: string, help: string, labels: Readonly<Record<string, string>>): void;
}

/** A repeated fault is logged once in this time, with the number of repetitions. */
const REPEATED_MS = MINUTE_MS;

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
  /** Creates every series at the start: an alert cannot see the first fault if that creates the series. */
  const counter = <Label extends string>(name: string, help: string, label: Label, values: readonly string[]): Counter<Label> => {
    const made = new Counter({ name, help, labelNames: [label], registers });
    for (const value of values) made.inc({ [label]: value } as Record<Label, string>, 0);
    return made;
  };
  const faults = counter("blackboard_faults_total", "Errors of the board or its storage, by place.", "place", FAULT_PLACES);
  const refusals = counter("blackboard_refusals_total", "Requests refused, by error code.", "code", Object.keys(ERRORS));
  const mails = counter("blackboard_mails_total", "Mails and recipients answered, by outcome.", "outcome", [
    "accepted",
    "deferred",
    "refused",
  ]);
  const repeated = repeatedFaults(log);
  // Finding a metric by its labels costs more than updating it.
  const answered = new Map<string, Map<number, { observe(seconds: number): void }>>();
  /** Read before the text is made, because reading waits for the database and making the text for nothing. */
  const gauges: (() => Promise<void>)[] = [];
  return {
    async text() {
      await Promise.all(gauges.map((read) => read()));
      return sliceOfPromises(() => registry.metrics());
    },
    observe(operation, status, ms) {
      let of = answered.get(operation);
      if (of === undefined) answered.set(operation, (of = new Map()));
      let figure = of.get(status);
      if (figure === undefined) of.set(status, (figure = requests.labels({ operation, status })));
      figure.observe(ms / 1000);
    },
    appended: (acts) => batches.observe(acts),
    refused: (code: ErrorCode) => refusals.inc({ code }),
    mailed({ reply, words, caller }) {
      mails.inc({ outcome: reply < 400 ? "accepted" : reply < 500 ? "deferred" : "refused" });
      log.debug({ reply, caller }, `mail: ${words}`);
    },
    counted: (place) => faults.inc({ place }),
    failed(place, error) {
      faults.inc({ place });
      repeated(place, error);
    },
    gauge(name, help, read) {
      const gauge = new Gauge({ name, help, registers });
      const update = async (): Promise<void> => {
        try {
          gauge.set(await read());
        } catch {
          // One gauge that cannot be read must not hide the others.
          gauge.reset();
          gauge.remove();
        }
      };
      gauges.push(() => slice(update));
    },
    info(name, help, labels) {
      new Gauge({ name, help, labelNames: Object.keys(labels), registers }).set(labels, 1);
    },
  };
}

function repeatedFaults(log: Logger): (place: FaultPlace, error: unknown) => void {
  const logged = new Map<string, { at: number; times: number }>();
  return (place, error) => {
    const key = `${place} ${error instanceof Error ? `${error.name} ${error.message}` : String(error)}`;
    const now = performance.now();
    const before = logged.get(key);
    if (before !== undefined && now - before.at < REPEATED_MS) {
      before.times++;
      return;
    }
    // Faults with ever new messages must not fill the memory.
    if (logged.size > 1000) logged.clear();
    logged.set(key, { at: now, times: 0 });
    log.error({ err: error, place, ...(before === undefined ? {} : { repeated: before.times }) }, "fault");
  };
}
