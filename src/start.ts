// From a configuration to a running board that can be closed: the foundation, then the parts that write, read, are live and listen.
import type { LogLines } from "./adapters/system/stderr-logger.ts";
import { systemClock } from "./adapters/system/clock.ts";
import { openCertificates } from "./wiring/certificates.ts";
import type { Config } from "./config.ts";
import { mailWords, withPorts } from "./wiring/port-availability.ts";
import type { Clock } from "./ports/clock.ts";
import type { ReplicaLimits } from "./ports/replica-status.ts";
import { watching } from "./wiring/observability.ts";
import { openFoundation } from "./wiring/foundation.ts";
import { openLive } from "./wiring/live.ts";
import { openReading } from "./wiring/reading.ts";
import { openServers, type ServerOptions } from "./wiring/servers.ts";
import { openWriting } from "./wiring/writing.ts";

export interface Running {
  /** Where the board listens, with the actual port. */
  readonly address: string;
  /** The same for the SMTP server, if there is one. */
  readonly smtpAddress: string | undefined;
  /** Reads the certificate again, for new connections. */
  reload(): void;
  /** Stops accepting requests, answers those that were accepted, and frees everything. */
  close(): Promise<void>;
}

export interface StartOptions extends ServerOptions {
  readonly clock?: Clock;
  /** Called with notes about the settings, for the log. */
  readonly warnings?: readonly string[];
  /** Where the log goes; standard error unless given. */
  readonly logTo?: LogLines;
  /** Called if the storage failed in a way that only a restart can fix. */
  readonly onFatal?: (error: Error) => void;
  /** Processor time that one token of a rate limit buys; infinite if a slow machine is to count like a fast one. */
  readonly tokenMs?: number;
  /** When the replica is not used. */
  readonly replicaLimits?: ReplicaLimits;
}

export async function start(given: Config, options: StartOptions = {}): Promise<Running> {
  const { clock = systemClock, warnings = [], logTo, onFatal = () => {} } = options;
  const { config, reusePort, release } = await withPorts(given);
  const watch = watching(config, clock, logTo);
  const { log } = watch;
  for (const warning of warnings) log.warn(warning);
  // Closed in reverse order, at the end or if a later step of the start fails.
  await using parts = new AsyncDisposableStack();
  parts.defer(release);
  const certificates = openCertificates(config, log, clock);
  const ground = await openFoundation({ ...watch, config, clock, parts }, onFatal, options.replicaLimits);
  const writing = await openWriting(ground, options.tokenMs);
  const reading = openReading(ground, writing);
  const live = await openLive(ground, writing, reading);
  const servers = openServers(ground, { writing, reading, live }, certificates, options);
  const address = await servers.listenForHttp(reusePort);
  await release();
  const smtpAddress = await servers.listenForMail();
  log.info({ address, smtp: smtpAddress, mail: mailWords(config, smtpAddress), data: config.data }, "listening");
  const running = parts.move();
  return {
    address,
    smtpAddress,
    reload: () => certificates.reload(),
    async close() {
      await running.disposeAsync();
      log.info("closed");
    },
  };
}
