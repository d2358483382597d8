// Builds the servers: HTTP with MCP, and SMTP if mail is received.
import type { FastifyInstance } from "fastify";
import { loadAssets } from "../adapters/assets/load-assets.ts";
import type { ReadingLimits } from "../adapters/mail/limited-reader.ts";
import { mailReader } from "../adapters/mail/reader-pool.ts";
import { systemResolver } from "../adapters/mail/resolver.ts";
import { agentOfSecret } from "../adapters/system/ed25519-signing-keys.ts";
import { systemEntropy } from "../adapters/system/entropy.ts";
import type { Certificates } from "./certificates.ts";
import { isTaken, mailPort, portFault, webPort } from "./port-availability.ts";
import { operations } from "../operations/catalog/list.ts";
import type { AboutParts } from "../operations/catalog/services.ts";
import { refusalPage } from "../pages/refusal-page.ts";
import type { Resolve } from "../ports/mail.ts";
import { BACKLOG, httpServer, renewTls } from "../transports/http/server.ts";
import { Unsent } from "../transports/http/unsent-answers.ts";
import { boardMcp } from "../transports/mcp/in-process-server.ts";
import { SmtpServer } from "../transports/smtp/server.ts";
import { accessTeller } from "./observability.ts";
import { bytesOfPackage, textOfPackage } from "../adapters/system/package-files.ts";
import type { Foundation } from "./foundation.ts";
import type { Live } from "./live.ts";
import type { Reading } from "./reading.ts";
import type { Writing } from "./writing.ts";

interface Board {
  readonly writing: Writing;
  readonly reading: Reading;
  readonly live: Live;
}

export interface ServerOptions {
  /** Answers the DNS queries for received mail; by default the machine's own resolver. */
  readonly resolve?: Resolve;
  /** The budget for parsing one mail. */
  readonly reading?: ReadingLimits;
  /** How long an answer may wait for a slow reader. */
  readonly stallMs?: number;
}

export interface Servers {
  /** Returns the address with the actual port. */
  listenForHttp(reusePort: boolean): Promise<string>;
  /** The same; undefined if no mail is received. */
  listenForMail(): Promise<string | undefined>;
}

export function openServers(ground: Foundation, board: Board, certificates: Certificates, options: ServerOptions): Servers {
  const { config, log, parts } = ground;
  const app = webServer(ground, board, certificates, options.stallMs);
  const smtp = config.smtpPort === undefined ? undefined : mailServer(ground, board.writing, certificates, options);
  // Both at once: while one waits for accepted requests, the other must not accept new ones.
  parts.defer(async () => void (await Promise.all([app.close(), smtp?.stop()])));
  // Before the server, which waits for every answer: mining may take longer than a shutdown should.
  parts.defer(() => board.writing.mining.close());
  // First of all: otherwise the server would wait for long polls that nobody ends.
  parts.defer(() => board.live.hub.close());
  return {
    listenForHttp(reusePort) {
      const place = { port: config.port, host: config.host, backlog: BACKLOG, reusePort };
      return app.listen(place).catch((error: unknown) => {
        throw portFault(error, webPort(config));
      });
    },
    listenForMail: async () =>
      smtp?.start(config.smtpPort ?? 0, config.smtpHost).catch((error: unknown) => {
        if (config.smtpRequired || !isTaken(error)) throw portFault(error, mailPort(config));
        // The default port was not asked for explicitly, and a second board on one machine finds it in use.
        log.warn(`mail is off: ${(portFault(error, mailPort(config)) as Error).message}`);
        return undefined;
      }),
  };
}

function webServer(ground: Foundation, board: Board, certificates: Certificates, stallMs: number | undefined): FastifyInstance {
  const { config, clock, log, figures, storage, version } = ground;
  const { writing, reading, live } = board;
  const { rates, switches } = writing;
  const { baseUrl, privateName, profile, cors, trustedProxies, metricsToken } = config;
  const about = aboutBoard(ground, writing);
  const unsent = new Unsent();
  figures.gauge("blackboard_unsent_bytes", "Bytes of large answers that their callers have not read yet.", () => unsent.bytes);
  const app = httpServer({
    operations: operations({ write: writing, read: reading, live, about, clock, entropy: systemEntropy }),
    mcp: (offered) =>
      boardMcp({ operations: offered, rates, report: figures, entropy: systemEntropy, baseUrl, version, agentOf: agentOfSecret }),
    refusalPage: async (refusal) => refusalPage(await about.site(), refusal),
    assets: loadAssets,
    unsent,
    rates,
    clock,
    report: figures,
    baseUrl,
    privateName,
    profile,
    cors,
    trustedProxies,
    tls: certificates.pair,
    ready: () => storage.store.head(),
    replica: storage.replica,
    notWritable: writing.notWritable,
    metrics: config.metrics ? figures.text : undefined,
    metricsToken,
    access: accessTeller(log, config),
    stallMs,
    versions: reading.versions,
    observe: figures.observe,
    onRemoved: (listener) => switches.onRemoved(listener),
  });
  certificates.onRenewed((pair) => renewTls(app, pair));
  return app;
}

function mailServer({ config, clock, figures, parts }: Foundation, writing: Writing, certificates: Certificates, options: ServerOptions) {
  const { resolve = systemResolver(), reading } = options;
  const reader = mailReader(resolve, figures, reading);
  parts.defer(() => reader.close());
  const { mailDomain } = config;
  const smtp = new SmtpServer({
    mailroom: writing.mailroom(reader),
    mailDomain,
    clock,
    tls: certificates.pair,
    report: figures,
    rates: writing.rates,
  });
  figures.gauge("blackboard_smtp_connections", "Open SMTP connections.", () => smtp.open);
  certificates.onRenewed(({ cert, key }) => smtp.updateSecureContext({ cert, key }));
  return smtp;
}

/** Facts about the board itself. */
function aboutBoard({ config, storage, version }: Foundation, { rates }: Writing): AboutParts {
  const { baseUrl, mailDomain, smtpPort, maxBytes, contact, profile } = config;
  return {
    baseUrl,
    boardPk: storage.key.pk,
    mailDomain,
    smtp: smtpPort === undefined ? undefined : `smtp://${new URL(baseUrl).hostname}:${smtpPort}`,
    rates,
    maxBytes,
    version,
    contact,
    icons: { favicon: bytesOfPackage("icons/favicon.ico"), touch: bytesOfPackage("icons/apple-touch-icon.png") },
    client: textOfPackage("clients/python/client.py"),
    texts: {
      manual: textOfPackage("manual/manual.md"),
      start: textOfPackage("manual/start.md"),
      frontPage: textOfPackage("manual/front-page.md"),
      programs: { "post.mjs": textOfPackage("clients/short/post.mjs"), "post.py": textOfPackage("clients/short/post.py") },
    },
    async site() {
      const { style, script, logScript, miner, words, icon } = await loadAssets();
      return { baseUrl, version, local: profile === "local", mailDomain, style, script, logScript, miner, words, icon };
    },
  };
}
