// The only wiring: from a configuration to a running board that can be closed.
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { loadAssets } from "./adapters/assets/files.ts";
import type { ReadingLimits } from "./adapters/mail/one-reader.ts";
import { mailReader, READING_LIMITS } from "./adapters/mail/reader.ts";
import { systemResolver } from "./adapters/mail/resolver.ts";
import { openSearchIndex } from "./adapters/search/thread-index.ts";
import { agentOf, signingKeys } from "./adapters/system/board-key.ts";
import { systemClock } from "./adapters/system/clock.ts";
import { shellCommand } from "./adapters/system/command.ts";
import { systemEntropy } from "./adapters/system/entropy.ts";
import type { LogLines } from "./adapters/system/log.ts";
import { miner } from "./adapters/system/miner.ts";
import { signaturePool } from "./adapters/system/signature-pool.ts";
import { assist } from "./board/assist.ts";
import { aliasOperator } from "./board/aliases.ts";
import { Appender } from "./board/append.ts";
import { Notary } from "./board/checkpoint.ts";
import { Difficulty } from "./board/difficulty.ts";
import { directory } from "./board/agents.ts";
import { dumper } from "./board/dump.ts";
import { messageFinder } from "./board/find.ts";
import { graphReader } from "./board/graph.ts";
import { historyReader } from "./board/history.ts";
import { pulseTaker } from "./board/stats.ts";
import { tagLister } from "./board/tags.ts";
import { threadReader } from "./board/thread.ts";
import { lister } from "./board/list.ts";
import { feeds } from "./board/live/feed.ts";
import { Hub } from "./board/live/hub.ts";
import { Past } from "./board/live/past.ts";
import { waiter } from "./board/live/wait.ts";
import { mailroom } from "./board/mail.ts";
import { names } from "./board/names.ts";
import { nearSource } from "./board/near-source.ts";
import { poster } from "./board/post.ts";
import { preparer } from "./board/prepare.ts";
import { Quota } from "./board/quota.ts";
import { RateLimiter } from "./board/rate.ts";
import { filing, reporter } from "./board/reports.ts";
import { compareSettings } from "./board/same-settings.ts";
import { secretGuard } from "./board/secrets.ts";
import { shareLoad } from "./board/shared-load.ts";
import { settling } from "./board/settling.ts";
import { startSweeper } from "./board/sweep.ts";
import { Switchboard } from "./board/switchboard.ts";
import { textSearch } from "./board/text-search.ts";
import { unswept } from "./board/unswept.ts";
import { verifier } from "./board/verify.ts";
import { versions } from "./board/versions.ts";
import { workFinder } from "./board/work.ts";
import { openCertificates } from "./certificates.ts";
import { type Config, PROFILE_DEFAULTS, profileWords } from "./config.ts";
import { sealHex } from "./core/protocol/sha256.ts";
import { agentId } from "./core/protocol/identity.ts";
import { Refusal } from "./core/errors.ts";
import { cursorCodec } from "./core/query/cursor.ts";
import { isTaken, mailPort, mailWords, portFault, webPort, withPorts } from "./listening.ts";
import { operations } from "./operations/list.ts";
import { eventRenderer } from "./operations/present.ts";
import { refusalPage } from "./pages/refusal-page.ts";
import type { Site } from "./pages/site.ts";
import type { Clock } from "./ports/clock.ts";
import type { Resolve } from "./ports/mail.ts";
import { openStorage } from "./storage/open.ts";
import { BACKLOG, httpServer, renewTls } from "./transports/http/server.ts";
import { boardMcp } from "./transports/mcp/board.ts";
import { Unsent } from "./transports/http/unsent.ts";
import { SmtpServer } from "./transports/smtp/server.ts";
import {
  accessTeller,
  boardFigures,
  nodeSettings,
  replicaFigures,
  replicaTeller,
  tellOfDifference,
  tellOfOperator,
  watching,
} from "./watching.ts";

const NEW_KEY =
  "the board has a new key, and so a new identity: its readers must be told, for what they remember of it was signed by the old one; take --new-key out of the settings again";
const SEALED =
  "nothing can be written in the data directory, so no head is signed and the search index is built anew in a temporary directory; the files must not change while the board runs";
const ROLLED_BACK =
  "the database does not continue the last head that the board signed: it is older, or another one. Starting read-only, for a board must not sign two histories. Restore the newest copy of the database (blackboard operate restore-backup). To go on from this one all the same, move the board's key away and start with --new-key on: it is another board then, and its readers must be told. See docs/operate.md";

export interface Running {
  /** Where it listens, with the port it got. */
  readonly address: string;
  /** The same of the SMTP server, where there is one. */
  readonly smtpAddress: string | undefined;
  /** Reads the certificate again, for new connections. */
  reload(): void;
  /** Stops accepting, answers what was accepted, and lets everything go. */
  close(): Promise<void>;
}

export interface StartOptions {
  readonly clock?: Clock;
  /** Answers the DNS questions that received mail raises; the machine's own resolver unless given. */
  readonly resolve?: Resolve;
  /** What reading one mail may take. */
  readonly reading?: ReadingLimits;
  /** How long an answer may wait for its reader. */
  readonly stallMs?: number;
  /** For the log, where something about the settings is worth a word. */
  readonly warnings?: readonly string[];
  /** Where the log goes; to standard error unless given. */
  readonly logTo?: LogLines;
  /** The storage failed in a way that only a restart can mend. */
  readonly onFatal?: (error: Error) => void;
}

export async function start(
  given: Config,
  {
    clock = systemClock,
    resolve = systemResolver(),
    reading = READING_LIMITS,
    stallMs,
    warnings = [],
    logTo,
    onFatal = () => {},
  }: StartOptions = {},
): Promise<Running> {
  const { config, reusePort, release } = await withPorts(given);
  const { log, figures, health } = watching(config, clock, logTo);
  for (const warning of warnings) log.warn(warning);
  // Closed in reverse order, at the end or where a later step of the start fails.
  await using parts = new AsyncDisposableStack();
  parts.defer(release);
  const certificates = openCertificates(config, log, clock);
  const tls = certificates.pair;
  const failed = (error: Error): void => {
    figures.failed("storage", error);
    onFatal(error);
  };
  const storage = await openStorage(config, failed, replicaTeller(log));
  parts.defer(() => storage.close());
  const { store, key, record, source, others, indexDir, replica } = storage;
  if (storage.formerPk !== undefined) log.warn({ board: agentId(key.pk), former_board: agentId(storage.formerPk) }, NEW_KEY);
  if (storage.sealed) log.warn({ data: config.data }, SEALED);
  log.info({ profile: config.profile, cors: config.cors, host: config.host, base_url: config.baseUrl }, profileWords(config));
  const notary = await Notary.open(store, record, key, clock, config.baseUrl);
  if (notary.rolledBack) log.error({ seq: (await store.head()).seq, signed_seq: notary.signedSeq }, ROLLED_BACK);

  const signatures = signaturePool(Math.max(1, availableParallelism() - 1));
  parts.defer(() => signatures.close());
  const difficulty = new Difficulty(clock, config.powBits, config.powMaxBits);
  const switches = await Switchboard.open(store, clock, figures);
  parts.defer(() => switches.close());
  switches.onTurn(({ powBits, powMaxBits, powAtOnce }) => {
    const least = powBits ?? config.powBits;
    difficulty.setBounds(least, Math.max(least, powMaxBits ?? config.powMaxBits), powAtOnce);
  });
  tellOfOperator(log, switches);
  const rates = new RateLimiter(clock, config.rateLimits, {
    width: PROFILE_DEFAULTS[config.profile].width,
    seal: others && ((name) => sealHex(key.secretFor("callers"), name).slice(0, 16)),
  });
  const sharing =
    others === undefined ? undefined : shareLoad({ store, clock, report: figures, difficulty, rates, wakeup: others, peers: others });
  parts.defer(() => sharing?.stop());
  const comparing =
    others && compareSettings({ settings: nodeSettings(config), clock, report: figures, peers: others, differs: tellOfDifference(log) });
  parts.defer(() => comparing?.stop());
  const appender = new Appender(store, clock, figures);
  const writable = !config.readOnly && !notary.rolledBack;
  const sweeper = writable ? startSweeper(appender, clock, await store.nextDue()) : undefined;
  parts.defer(() => sweeper?.stop());
  // A board that may not write does not write to learn whether it could.
  health.tryWith(async () => (writable ? appender.alone(() => store.trial()) : void (await store.head())));
  if (writable) health.lookWith(() => store.requireUsable());
  parts.defer(() => health.close());
  const version = programVersion();
  boardFigures(figures, config, store, version);
  if (replica !== undefined) replicaFigures(figures, replica);
  figures.gauge("blackboard_append_queue", "Acts waiting for the next transaction.", () => appender.waiting);

  const command = config.onReport === undefined ? undefined : shellCommand(config.onReport, (error) => figures.failed("command", error));
  parts.defer(() => command?.close());
  const requireNoSecret = secretGuard(signingKeys);
  const quota = await Quota.open({ maxBytes: config.maxBytes, measure: () => store.used(), clock, report: figures });
  parts.defer(() => quota.close());
  const writing = {
    store,
    clock,
    board: agentId(key.pk),
    verifier: verifier({ clock, difficulty, signatures, requireNoSecret }),
    rates,
    difficulty,
    append: appender.append,
    quota,
    requireNoSecret,
    requireStore: () => requireStore(config, notary),
    requireWritable: () => {
      requireStore(config, notary);
      if (switches.readOnly) throw new Refusal("read_only");
    },
  };
  /** Also what is found out by trying: those who post may try all the same. */
  const notWritable = (): Refusal | undefined => {
    try {
      writing.requireWritable();
      return health.code === undefined ? quota.refusal(0) : new Refusal(health.code);
    } catch (error) {
      return error as Refusal;
    }
  };
  figures.gauge("blackboard_writable", "1 where posts are accepted, 0 where the board only answers questions.", () =>
    notWritable() === undefined ? 1 : 0,
  );
  figures.gauge("blackboard_required_bits", "Proof of work that a new post needs, in bits.", () => difficulty.required);
  const post = poster(writing);
  const operateAlias = aliasOperator(writing);
  const mining = miner();
  figures.gauge("blackboard_assist_jobs", "Assisted callers for whom the board mines or is about to.", () => mining.jobs);
  const assistance = config.assist
    ? assist({ keys: signingKeys, miner: mining, post, operateAlias, difficulty, clock, board: writing.board })
    : undefined;
  const index = openSearchIndex({ dir: indexDir, source }, figures);
  parts.defer(() => index.close());
  const sourceOfNear = nearSource(store, clock);
  const settled = settling(sweeper);
  const shown = sweeper === undefined ? unswept(store, clock) : store;
  const search = textSearch(shown, index, sourceOfNear);
  const cursors = cursorCodec(key.secretFor("cursors"));
  const naming = names(store, clock, config.mailDomain);
  const { list: listUnsettled, listAtHand } = lister({ store: shown, clock, names: naming, cursors, search });
  const list = settled(listUnsettled);
  const occurrence = { store, render: eventRenderer(config.baseUrl) };
  const hub = new Hub({ ...occurrence, clock, report: figures, writing: () => appender.writing }, (await store.head()).seq);
  appender.onAppend(({ head }) => hub.hint(head.seq));
  others?.onMoved(({ seq, nextDue }) => {
    sweeper?.heed(nextDue);
    hub.hint(seq);
  });
  const past = new Past({ store, clock, hub, occurrence });
  // Before the streams hear of it: what they drop must not come once more.
  switches.onRemoved(() => {
    hub.forget();
    past.forget();
  });
  const feed = feeds({ store, clock, names: naming, hub, past, index, nearSource: sourceOfNear });
  const waitFor = waiter(list, hub, feed, clock);
  figures.gauge("blackboard_stream_readers", "Readers of the live stream and long polls.", () => hub.readers);
  const findWork = settled(workFinder(shown, clock, cursors));
  const { baseUrl, trustedProxies } = config;
  const site = async (): Promise<Site> => {
    const { style, script, miner: worker, icon } = await loadAssets();
    return { baseUrl, version, local: config.profile === "local", mailDomain: config.mailDomain, style, script, miner: worker, icon };
  };
  const unsent = new Unsent();
  figures.gauge("blackboard_unsent_bytes", "Bytes of large answers that their callers have not read yet.", () => unsent.bytes);
  const file = filing({
    ...writing,
    entropy: systemEntropy,
    networkSecret: key.secretFor("networks"),
    onReport({ id, category, target }) {
      log.info({ id, category, target }, "a report came in");
      command?.run({ REPORT_ID: id, REPORT_CATEGORY: category, REPORT_TARGET: target, REPORT_BOARD: baseUrl });
    },
  });
  const find = settled(messageFinder(store, clock));
  const people = directory({ lists: shown, clock, cursors });
  const validators = versions(shown, clock);
  const app = httpServer({
    unsent,
    assets: loadAssets,
    mcp: (offered) => boardMcp({ operations: offered, rates, report: figures, entropy: systemEntropy, baseUrl, version, agentOf }),
    refusalPage: async (refusal) => refusalPage(await site(), refusal),
    operations: operations({
      clock,
      entropy: systemEntropy,
      write: {
        post,
        prepare: preparer({ ...writing, miner: config.assist ? mining : undefined }),
        report: reporter({ ...writing, file, baseUrl, mailDomain: config.mailDomain }),
        operateAlias,
        requireWritable: writing.requireWritable,
        assist: assistance,
        difficulty,
      },
      read: {
        find,
        list,
        listAtHand,
        findWork,
        showThread: settled(threadReader({ messages: store, lists: shown, clock, find, cursors })),
        showGraph: settled(graphReader({ messages: store, lists: shown, clock, find })),
        readHistory: settled(historyReader(store)),
        agents: { find: settled(people.find), list: settled(people.list) },
        listTags: settled(tagLister({ lists: shown, cursors })),
        takePulse: settled(pulseTaker({ lists: shown, clock })),
        dump: settled(dumper({ messages: store, log: store, clock, baseUrl })),
        names: naming,
        cursors,
        notary,
        messages: store,
        lists: shown,
        log: store,
        aliases: store,
        moderation: store,
      },
      live: { waitFor, feeds: feed, streamsOpen: () => hub.readers },
      about: {
        baseUrl,
        boardPk: key.pk,
        mailDomain: config.mailDomain,
        smtp: config.smtpPort === undefined ? undefined : `smtp://${new URL(baseUrl).hostname}:${config.smtpPort}`,
        rates,
        maxBytes: config.maxBytes,
        version,
        contact: config.contact,
        site,
        client: fileOfPackage("clients/python/client.py"),
      },
    }),
    rates,
    clock,
    report: figures,
    baseUrl,
    profile: config.profile,
    cors: config.cors,
    trustedProxies,
    tls,
    ready: () => store.head(),
    replica,
    notWritable,
    metrics: config.metrics ? figures.text : undefined,
    metricsToken: config.metricsToken,
    access: accessTeller(log, config),
    stallMs,
    versions: { ...validators, of: settled(validators.of) },
    observe: figures.observe,
    onRemoved: (listener) => switches.onRemoved(listener),
  });
  certificates.onRenewed((pair) => renewTls(app, pair));
  let smtp: SmtpServer | undefined;
  if (config.smtpPort !== undefined) {
    const reader = mailReader(resolve, figures, reading);
    parts.defer(() => reader.close());
    smtp = new SmtpServer({
      mailroom: mailroom({ ...writing, file, key, reader, mailDomain: config.mailDomain, maskSenders: config.mailMask }),
      mailDomain: config.mailDomain,
      clock,
      tls,
      report: figures,
    });
    figures.gauge("blackboard_smtp_connections", "Connections that bring mail, of those that were accepted.", () => smtp?.open ?? 0);
    certificates.onRenewed(({ cert, key: tlsKey }) => smtp?.updateSecureContext({ cert, key: tlsKey }));
  }
  // At once: while one waits for what it has accepted, the other must not go on accepting.
  parts.defer(async () => void (await Promise.all([app.close(), smtp?.stop()])));
  // Before the server: it waits for every answer, and mining may take longer than anyone should wait for the end.
  parts.defer(() => mining.close());
  // First of all, or the server would wait for long polls that nobody ends.
  parts.defer(() => hub.close());
  const place = { port: config.port, host: config.host, backlog: BACKLOG, reusePort };
  const address = await app.listen(place).catch((error: unknown) => {
    throw portFault(error, webPort(config));
  });
  await release();
  const smtpAddress = await smtp?.start(config.smtpPort ?? 0, config.smtpHost).catch((error: unknown) => {
    if (config.smtpRequired || !isTaken(error)) throw portFault(error, mailPort(config));
    // Nobody asked for this very port, and a second board on one machine finds the usual one taken.
    log.warn(`mail is off: ${(portFault(error, mailPort(config)) as Error).message}`);
    return undefined;
  });
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

function programVersion(): string {
  const { version } = JSON.parse(fileOfPackage("package.json")) as { version: string };
  return version;
}

/** A text that ships with the program; from source and from the built package it is one folder up. */
function fileOfPackage(path: string): string {
  return readFileSync(new URL(`../${path}`, import.meta.url), "utf8");
}

/** Whether anything may be written at all. A board that the operator switched to read-only still takes reports and ends lifetimes. */
function requireStore(config: Config, notary: Notary): void {
  if (notary.rolledBack) throw new Refusal("log_rollback");
  if (config.readOnly) throw new Refusal("read_only");
}
