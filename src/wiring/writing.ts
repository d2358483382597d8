// Builds the writing part: the limits, the one writer, and everything that goes through it.
import { availableParallelism } from "node:os";
import { signingKeys } from "../adapters/system/ed25519-signing-keys.ts";
import { shellCommand } from "../adapters/system/operator-event-command.ts";
import { systemEntropy } from "../adapters/system/entropy.ts";
import { textJournal } from "../adapters/system/text-fingerprint-journal.ts";
import { minerThread } from "../adapters/system/miner.ts";
import { bytesOfPackage, RISK_TABLE } from "../adapters/system/package-files.ts";
import { signaturePool } from "../adapters/system/signature-pool.ts";
import { acknowledger } from "../board/write/acks.ts";
import { aliasOperator } from "../board/write/aliases.ts";
import { Appender } from "../board/write/append.ts";
import { assist } from "../board/write/assist.ts";
import { bundles } from "../board/write/post-many.ts";
import { Difficulty } from "../board/write/difficulty.ts";
import { keyOperator } from "../board/write/keys.ts";
import { type Mailroom, mailroom } from "../board/write/mail.ts";
import { poster, postSteps } from "../board/write/post.ts";
import { preparer } from "../board/write/prepare.ts";
import { Quota } from "../board/write/storage-quota.ts";
import { writerOut } from "../board/write/expand-short-forms.ts";
import { names } from "../board/read/resolve-agents-and-messages.ts";
import { RateLimiter } from "../board/limits/rate.ts";
import { filing, reporter } from "../board/write/reports.ts";
import { BackgroundWork } from "../board/operator/finish-before-close.ts";
import { compareSettings } from "../board/operator/same-settings.ts";
import { secretGuard, verifier } from "../board/write/verify.ts";
import { shareLoad } from "../board/operator/shared-load.ts";
import { startSweeper, type Sweeper } from "../board/time/sweep.ts";
import { OperatorWatch } from "../board/operator/operator-watch.ts";
import { TextGuard } from "../board/write/text-guard.ts";
import { PROFILE_DEFAULTS } from "../config.ts";
import { Refusal } from "../core/errors.ts";
import type { Notice } from "../core/message/moderation-state.ts";
import { readRiskTable } from "../core/guard/risk/scorer.ts";
import { sealHex } from "../core/protocol/node-sha256.ts";
import type { WriteParts } from "../operations/catalog/services.ts";
import type { MailReader } from "../ports/mail.ts";
import type { Miner } from "../ports/miner.ts";
import { nodeSettings, logDifference, logOperatorActs, logRoom } from "./observability.ts";
import type { Foundation } from "./foundation.ts";

export interface Writing extends WriteParts {
  readonly appender: Appender;
  /** Undefined on a read-only board. */
  readonly sweeper: Sweeper | undefined;
  readonly switches: OperatorWatch;
  readonly rates: RateLimiter;
  readonly mining: Miner;
  /** Why nothing can be posted at the moment, if so. */
  readonly notWritable: () => Refusal | undefined;
  /** Stores the mail that this reader parses. */
  readonly mailroom: (reader: MailReader) => Mailroom;
}

export async function openWriting(ground: Foundation, tokenMs?: number): Promise<Writing> {
  const { config, clock, log, figures, storage, parts } = ground;
  const { store, board, key, keys } = storage;
  const signatures = signaturePool(Math.max(1, availableParallelism() - 1));
  parts.defer(() => signatures.close());
  const limits = await openLimits(ground, tokenMs);
  const { difficulty, switches, rates } = limits;
  const { appender, sweeper } = await openAppender(ground);
  const guard = await openGuard(ground);
  const onReport = reportTeller(ground);
  const requireNoSecret = secretGuard(signingKeys);
  const quota = await Quota.open({ maxBytes: config.maxBytes, measure: () => store.used(), clock, report: figures, onRoom: logRoom(log) });
  parts.defer(() => quota.close());
  const lookup = names(store, clock, config.mailDomain);
  const writing = {
    store,
    clock,
    board,
    verifier: verifier({ clock, difficulty, signatures, requireNoSecret, guard }),
    rates,
    difficulty,
    append: appender.append,
    guard,
    quota,
    requireNoSecret,
    writeOut: writerOut(lookup),
    ...requirements(ground, switches),
  };
  const notWritable = (): Refusal | undefined => refusalOf(writing.requireWritable, ground, quota);
  figures.gauge("blackboard_writable", "1 if posts are accepted, 0 if the board only answers reads.", () =>
    notWritable() === undefined ? 1 : 0,
  );
  figures.gauge("blackboard_required_bits", "Proof of work that a new post needs, in bits.", () => difficulty.required);
  const mining = minerThread();
  figures.gauge("blackboard_assist_jobs", "Assisted callers for whom the board is mining, and those who wait.", () => mining.jobs);
  const { baseUrl, mailDomain } = config;
  const steps = postSteps(writing);
  const post = poster(steps);
  const operateAlias = aliasOperator(writing);
  const acknowledge = acknowledger(writing);
  const operateKey = keyOperator(writing);
  const file = filing({ ...writing, entropy: systemEntropy, networkSecret: key.secretFor("networks"), onReport });
  return {
    ...limits,
    appender,
    sweeper,
    mining,
    requireWritable: writing.requireWritable,
    notWritable,
    post,
    beginBundle: bundles(steps, difficulty),
    operateAlias,
    acknowledge,
    operateKey,
    prepare: preparer({ ...writing, miner: config.assist ? mining : undefined }),
    report: reporter({ ...writing, names: lookup, file, baseUrl }),
    assist: config.assist ? assist({ ...writing, keys: signingKeys, miner: mining, post, operateAlias, acknowledge }) : undefined,
    mailroom: (reader) => mailroom({ ...writing, file, keys, reader, mailDomain, maskSenders: config.mailMask }),
  };
}

/** Difficulty, rate limits and the operator's switches for both; over all nodes. */
async function openLimits({ config, clock, log, figures, storage, parts }: Foundation, tokenMs?: number) {
  const { store, key, peers } = storage;
  const difficulty = new Difficulty(clock, config.powBits, config.powMaxBits);
  const switches = await OperatorWatch.open(store, clock, figures);
  parts.defer(() => switches.close());
  switches.onTurn(({ powBits, powMaxBits, powAtOnce }) => {
    const least = powBits ?? config.powBits;
    difficulty.setBounds(least, Math.max(least, powMaxBits ?? config.powMaxBits), powAtOnce);
  });
  logOperatorActs(log, switches);
  const rates = new RateLimiter(clock, config.rateLimits, {
    tokenMs,
    width: PROFILE_DEFAULTS[config.profile].width,
    seal: peers && ((name) => sealHex(key.secretFor("callers"), name).slice(0, 16)),
  });
  if (peers !== undefined) {
    const sharing = shareLoad({ store, clock, report: figures, difficulty, rates, wakeup: peers, peers });
    parts.defer(() => sharing.stop());
    const settings = nodeSettings(config);
    const comparing = compareSettings({ settings, clock, report: figures, peers, differs: logDifference(log) });
    parts.defer(() => comparing.stop());
  }
  return { difficulty, switches, rates };
}

/** The guard of incoming texts; it knows what was posted before the start and on other nodes. */
async function openGuard({ config, clock, figures, storage: { store, peers, sealed }, parts }: Foundation): Promise<TextGuard> {
  // A board that takes no posts has nothing to note.
  const journal = config.readOnly || sealed ? undefined : textJournal(config.data, (error) => figures.failed("storage", error));
  parts.defer(() => journal?.close());
  const guard = new TextGuard(readRiskTable(bytesOfPackage(RISK_TABLE)), clock, journal);
  await guard.follow(store, await store.head());
  const underWay = new BackgroundWork((error) => figures.failed("nodes", error));
  parts.defer(() => underWay.finished());
  peers?.onMoved((moved) => underWay.add(guard.follow(store, moved)));
  return guard;
}

/** The one writer, the sweeper that ends lifetimes through it, and the probe that tests whether writing works. */
async function openAppender({ config, clock, figures, health, checkpointSigner, storage: { store }, parts }: Foundation) {
  const appender = new Appender(store, clock, figures);
  const writable = !config.readOnly && !checkpointSigner.rolledBack;
  const sweeper = writable ? startSweeper(appender, clock, await store.nextDue()) : undefined;
  parts.defer(() => sweeper?.stop());
  // A read-only board does not write to test whether it could.
  health.tryWith(async () => (writable ? appender.alone(() => store.trial()) : void (await store.head())));
  if (writable) health.lookWith(() => store.requireUsable());
  parts.defer(() => health.close());
  figures.gauge("blackboard_append_queue", "Acts waiting for the next transaction.", () => appender.waiting);
  return { appender, sweeper };
}

/** Tells the operator of each report, in the log and by their command. */
function reportTeller({ config, log, figures, parts }: Foundation): (notice: Notice) => void {
  const command = config.onReport === undefined ? undefined : shellCommand(config.onReport, (error) => figures.failed("command", error));
  parts.defer(() => command?.close());
  return ({ id, category, target }) => {
    log.info({ id, category, target }, "new report");
    command?.run({ REPORT_ID: id, REPORT_CATEGORY: category, REPORT_TARGET: target, REPORT_BOARD: config.baseUrl });
  };
}

/**
 * Whether anything may be written at all, and whether posts may. A board that the operator switched to read-only still accepts reports and
 * ends lifetimes.
 */
function requirements({ config, checkpointSigner }: Foundation, switches: OperatorWatch) {
  const requireStore = (): void => {
    if (checkpointSigner.rolledBack) throw new Refusal("log_rollback");
    if (config.readOnly) throw new Refusal("read_only");
  };
  const requireWritable = (): void => {
    requireStore();
    if (switches.readOnly) throw new Refusal("read_only");
  };
  return { requireStore, requireWritable };
}

/** Why posts would be refused. Includes failures that the probe found; a post is still tried then. */
function refusalOf(requireWritable: () => void, { health }: Foundation, quota: Quota): Refusal | undefined {
  try {
    requireWritable();
    return health.code === undefined ? quota.refusal(0) : new Refusal(health.code);
  } catch (error) {
    return error as Refusal;
  }
}
