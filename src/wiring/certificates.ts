// The board's TLS certificate, for HTTPS and mail alike: read at the start, and again on request.
import type { Logger } from "pino";
import { readPem, type TlsPair, tlsPair, untimely } from "../adapters/system/certificate.ts";
import type { Config } from "../config.ts";
import { iso } from "../core/protocol/time.ts";
import type { Clock } from "../ports/clock.ts";

export interface Certificates {
  /** The certificate in use; undefined without TLS. */
  readonly pair: TlsPair | undefined;
  /** Calls back with a new certificate. */
  onRenewed(listener: (pair: TlsPair) => void): void;
  /** Reads the files again. If they do not fit, the log says so, and the certificate in use stays. */
  reload(): void;
}

export function openCertificates({ tlsCert, tlsKey }: Config, log: Logger, clock: Clock): Certificates {
  if (tlsCert === undefined || tlsKey === undefined)
    return {
      pair: undefined,
      onRenewed() {},
      reload: () => log.info("nothing to reload: this board has no certificate (--tls-cert)"),
    };
  const listeners: ((pair: TlsPair) => void)[] = [];
  const warn = (pair: TlsPair): void => {
    const why = untimely(pair, clock.now());
    if (why !== undefined) log.warn({ valid_from: iso(pair.validFrom), valid_to: iso(pair.validTo) }, why);
  };
  const pair = read(tlsCert, tlsKey);
  warn(pair);
  return {
    pair,
    onRenewed: (listener) => void listeners.push(listener),
    reload() {
      try {
        const next = read(tlsCert, tlsKey);
        for (const listener of listeners) listener(next);
        const { subject, validTo } = next;
        log.info({ subject, valid_to: iso(validTo) }, `certificate of ${subject} reloaded, valid until ${iso(validTo)}`);
        warn(next);
      } catch (error) {
        log.error(`the certificate was not reloaded, and the old one stays in use: ${(error as Error).message}`);
      }
    },
  };
}

function read(cert: string, key: string): TlsPair {
  const text = (path: string, flag: string): string => {
    try {
      return readPem(path);
    } catch (error) {
      throw new Error(`${flag} is ${JSON.stringify(path)}: ${(error as Error).message}`, { cause: error });
    }
  };
  return tlsPair(text(cert, "--tls-cert"), text(key, "--tls-key"));
}
