// Builds what writes: the limits, the one writer, and everything that goes through it.
import { availableParallelism } from "node:os";
import { signingKeys } from "../adapters/system/board-key.ts";
import { shellCommand } from "../adapters/system/command.ts";
import { systemEntropy } from "../adapters/system/entropy.ts";
import { miner } from "../adapters/system/miner.ts";
import { bytesOfPackage } from "../adapters/system/package-files.ts";
import { signaturePool } from "../adapters/system/signature-pool.ts";
import { acknowledger } from "../board/write/acks.ts";
import { aliasOperator } from "../board/write/aliases.ts";
import { Appender } from "../board/write/append.ts";
import { assist } from "../board/write/assist.ts";
import { bundles } from "../board/write/bundle.ts";
import { Difficulty } from "../board/write/difficulty.ts";
import { keyOperator } from "../board/write/keys.ts";
import { type Mailroom, mailroom } from "../board/write/mail.ts";
import { poster, postSteps } from "../board/write/post.ts";
import { preparer } from "../board/write/prepare.ts";
import { Quota } from "../board/write/quota.ts";
import { writerOut } from "../board/write/write-out.ts";
import { names } from "../board/read/names.ts";
import { RateLimiter } from "../board/limits/rate.ts";
import { filing, reporter } from "../board/write/reports.ts";
import { UnderWay } from "../board/operator/background-work.ts";
import { compareSettings } from "../board/operator/same-settings.ts";
import { secretGuard } from "../board/write/secrets.ts";
import { shareLoad } from "../board/operator/shared-load.ts";
import { startSweeper, type Sweeper } from "../board/time/sweep.ts";
import { OperatorWatch } from "../board/operator/operator-watch.ts";
import { TextGuard } from "../board/write/text-guard.ts";
import { verifier } from "../board/write/verify.ts";
import { PROFILE_DEFAULTS } from "../config.ts";
import { Refusal } from "../core/errors.ts";
import type { Notice } from "../core/message/moderation.ts";
import { readRiskTable } from "../core/guard/risk/scorer.ts";
import { agentId } from "../core/protocol/identity.ts";
import { sealHex } from "../core/protocol/sha256.ts";
import type { WriteParts } from "../operations/list.ts";
import type { MailReader } from "../ports/mail.ts";
import type { Miner } from "../ports/miner.ts";
import { nodeSettings, tellOfDifference, tellOfOperator } from "./watching.ts";
import type { Ground } from "./ground.ts";

export interface Writing extends WriteParts {
  readonly appender: Appender;
  /** Undefined on a board that may not write. */
  readonly sweeper: Sweeper | undefined;
  readonly switches: OperatorWatch;
  readonly rates: RateLimiter;
  readonly mining: Miner;
  /** Why nothing can be posted at the moment, where that is so. */
  readonly notWritable: () => Refusal | undefined;
  /** Takes in what this one reads. */
  readonly mailroom: (reader: MailReader) => Mailroom;
}

export async function openWriting(ground: Ground): Promise<Writing> {
  const { config, clock, figures, storage, parts } = ground;
  const { store, key } = storage;
  const signatures = signaturePool(Math.max(1, availableParallelism() - 1));
  parts.defer(() => signatures.close());
  const limits = await openLimits(ground);
  const { difficulty, switches, rates } = limits;
  const { appender, sweeper } = await openAppender(ground);
  const guard = await openGuard(ground);
  const onReport = reportTeller(ground);
  const requireNoSecret = secretGuard(signingKeys);
  const quota = await Quota.open({ maxBytes: config.maxBytes, measure: () => store.used(), clock, report: figures });
  parts.defer(() => quota.close());
  const writing = {
    store,
    clock,
    board: agentId(key.pk),
    verifier: verifier({ clock, difficulty, signatures, requireNoSecret, guard }),
    rates,
    difficulty,
    append: appender.append,
    guard,
    quota,
    requireNoSecret,
    writeOut: writerOut(names(store, clock, config.mailDomain)),
    ...requirements(ground, switches),
  };
  const notWritable = (): Refusal | undefined => refusalOf(writing.requireWritable, ground, quota);
  figures.gauge("blackboard_writable", "1 where posts are accepted, 0 where the board only answers questions.", () =>
    notWritable() === undefined ? 1 : 0,
  );
  figures.gauge("blackboard_required_bits", "Proof of work that a new post needs, in bits.", () => difficulty.required);
  const mining = miner();
  figures.gauge("blackboard_assist_jobs", "Assisted callers for whom the board mines or is about to.", () => mining.jobs);
  const { baseUrl, mailDomain } = config;
  const steps = postSteps(writing);
  const post = poster(steps);
  const operateAlias = aliasOperator(writing);
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
    acknowledge: acknowledger({ ...writing, acks: store }),
    operateKey,
    prepare: preparer({ ...writing, miner: config.assist ? mining : undefined }),
    report: reporter({ ...writing, file, baseUrl, mailDomain }),
    assist: config.assist ? assist({ ...writing, keys: signingKeys, miner: mining, post, operateAlias }) : undefined,
    mailroom: (reader) => mailroom({ ...writing, file, key, reader, mailDomain, maskSenders: config.mailMask }),
  };
}

/** What a post costs, what a caller may do, and what the operator says to both; of all nodes together. */
async function openLimits({ config, clock, log, figures, storage, parts }: Ground) {
  const { store, key, others } = storage;
  const difficulty = new Difficulty(clock, config.powBits, config.powMaxBits);
  const switches = await OperatorWatch.open(store, clock, figures);
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
  if (others !== undefined) {
    const sharing = shareLoad({ store, clock, report: figures, difficulty, rates, wakeup: others, peers: others });
    parts.defer(() => sharing.stop());
    const settings = nodeSettings(config);
    const comparing = compareSettings({ settings, clock, report: figures, peers: others, differs: tellOfDifference(log) });
    parts.defer(() => comparing.stop());
  }
  return { difficulty, switches, rates };
}

/** What notices texts as they come; it knows what was posted before the start, and what other nodes post. */
async function openGuard({ clock, figures, storage: { store, others }, parts }: Ground): Promise<TextGuard> {
  const guard = new TextGuard(readRiskTable(bytesOfPackage("models/guard.bin")), clock);
  await guard.follow(store, (await store.head()).seq);
  const underWay = new UnderWay();
  parts.defer(() => underWay.settled());
  others?.onMoved(({ seq }) => underWay.add(guard.follow(store, seq).catch((error: unknown) => figures.failed("nodes", error))));
  return guard;
}

/** The one writer, what ends lifetimes through it, and what finds out whether it works. */
async function openAppender({ config, clock, figures, health, notary, storage: { store }, parts }: Ground) {
  const appender = new Appender(store, clock, figures);
  const writable = !config.readOnly && !notary.rolledBack;
  const sweeper = writable ? startSweeper(appender, clock, await store.nextDue()) : undefined;
  parts.defer(() => sweeper?.stop());
  // A board that may not write does not write to learn whether it could.
  health.tryWith(async () => (writable ? appender.alone(() => store.trial()) : void (await store.head())));
  if (writable) health.lookWith(() => store.requireUsable());
  parts.defer(() => health.close());
  figures.gauge("blackboard_append_queue", "Acts waiting for the next transaction.", () => appender.waiting);
  return { appender, sweeper };
}

/** Tells the operator of each report, in the log and by the command of theirs. */
function reportTeller({ config, log, figures, parts }: Ground): (notice: Notice) => void {
  const command = config.onReport === undefined ? undefined : shellCommand(config.onReport, (error) => figures.failed("command", error));
  parts.defer(() => command?.close());
  return ({ id, category, target }) => {
    log.info({ id, category, target }, "a report came in");
    command?.run({ REPORT_ID: id, REPORT_CATEGORY: category, REPORT_TARGET: target, REPORT_BOARD: config.baseUrl });
  };
}

/** Whether anything may be written at all; and whether posts may. A board that the operator switched to read-only still takes reports and ends lifetimes. */
function requirements({ config, notary }: Ground, switches: OperatorWatch) {
  const requireStore = (): void => {
    if (notary.rolledBack) throw new Refusal("log_rollback");
    if (config.readOnly) throw new Refusal("read_only");
  };
  const requireWritable = (): void => {
    requireStore();
    if (switches.readOnly) throw new Refusal("read_only");
  };
  return { requireStore, requireWritable };
}

/** Also what is found out by trying: those who post may try all the same. */
function refusalOf(requireWritable: () => void, { health }: Ground, quota: Quota): Refusal | undefined {
  try {
    requireWritable();
    return health.code === undefined ? quota.refusal(0) : new Refusal(health.code);
  } catch (error) {
    return error as Refusal;
  }
}
