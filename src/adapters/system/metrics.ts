// Figures for the operator in Prometheus form, and faults into the log.
import type { Logger } from "pino";
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import { ERRORS, type ErrorCode } from "../../core/errors.ts";
import { MINUTE_MS } from "../../core/durations.ts";
import { type MailReport, type Place, PLACES, type RequestReport } from "../../ports/telemetry.ts";

export interface Metrics extends RequestReport, MailReport {
  readonly text: () => Promise<string>;
  readonly observe: (operation: string, status: number, ms: number) => void;
  /** A fault that is told elsewhere. */
  counted(place: Place): void;
  /** A figure read when somebody asks for it; left out where it cannot be read. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void;
  /** What does not change while the board runs, as labels of a figure that is always 1. */
  info(name: string, help: string, labels: Readonly<Record<string, string>>): void;
}

/** The same fault is in the log once in this time, with how often it came since. */
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
  /** Every series from the start on: a first fault that makes its series is none that an alert can see. */
  const counter = <Label extends string>(name: string, help: string, label: Label, values: readonly string[]): Counter<Label> => {
    const made = new Counter({ name, help, labelNames: [label], registers });
    for (const value of values) made.inc({ [label]: value } as Record<Label, string>, 0);
    return made;
  };
  const faults = counter("blackboard_faults_total", "Faults of the board or its storage, by place.", "place", PLACES);
  const refusals = counter("blackboard_refusals_total", "Requests refused, by error code.", "code", Object.keys(ERRORS));
  const mails = counter("blackboard_mails_total", "Mails and recipients answered, by outcome.", "outcome", [
    "accepted",
    "deferred",
    "refused",
  ]);
  const repeated = repeatedFaults(log);
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
      new Gauge({
        name,
        help,
        registers,
        async collect() {
          try {
            this.set(await read());
          } catch {
            // One figure that cannot be read must not take the others with it.
            this.reset();
            this.remove();
          }
        },
      });
    },
    info(name, help, labels) {
      new Gauge({ name, help, labelNames: Object.keys(labels), registers }).set(labels, 1);
    },
  };
}

function repeatedFaults(log: Logger): (place: Place, error: unknown) => void {
  const told = new Map<string, { at: number; times: number }>();
  return (place, error) => {
    const key = `${place} ${error instanceof Error ? `${error.name} ${error.message}` : String(error)}`;
    const now = performance.now();
    const before = told.get(key);
    if (before !== undefined && now - before.at < REPEATED_MS) {
      before.times++;
      return;
    }
    // Faults whose words differ each time must not fill the memory.
    if (told.size > 1000) told.clear();
    told.set(key, { at: now, times: 0 });
    log.error({ err: error, place, ...(before === undefined ? {} : { repeated: before.times }) }, "fault");
  };
}
