// The base of every part of a board: its storage, its signing key, and its log and metrics.
import { programVersion } from "../adapters/system/package-files.ts";
import { CheckpointSigner } from "../board/operator/log-checkpoint-signer.ts";
import { type Config, profileWords } from "../config.ts";
import { agentId } from "../core/protocol/message-and-agent-ids.ts";
import type { Clock } from "../ports/clock.ts";
import type { ReplicaLimits } from "../ports/replica-status.ts";
import { openStorage, type Storage } from "../storage/open.ts";
import { boardMetrics, replicaMetrics, logReplica, type Watching } from "./observability.ts";

const NEW_KEY =
  "the board has a new key, and so a new identity: tell its readers, because the heads they remember were signed with the old key; then remove --new-key from the settings";
const SEALED =
  "the data directory is not writable, so no head is signed and the search index is rebuilt in a temporary directory; the files must not change while the board runs";
const ROLLED_BACK =
  "the database does not continue the last head that the board signed: it is older, or another one. Starting read-only, because a board must not sign two histories. Restore the newest copy of the database (blackboard operate restore-backup). To continue from this one anyway, let the board continue under a new log name: blackboard operate accept-history. Or move the board's key away and start with --new-key on: it is then another board, and you must tell its readers. See docs/operate.md";

interface Given extends Watching {
  readonly config: Config;
  readonly clock: Clock;
  /** Closed in reverse order, at the end or if a later step of the start fails. */
  readonly parts: AsyncDisposableStack;
}

export interface Foundation extends Given {
  readonly storage: Storage;
  readonly checkpointSigner: CheckpointSigner;
  /** The version of this program. */
  readonly version: string;
}

export async function openFoundation(given: Given, onFatal: (error: Error) => void, limits?: ReplicaLimits): Promise<Foundation> {
  const { config, clock, parts, log, figures } = given;
  const failed = (error: Error): void => {
    figures.failed("storage", error);
    onFatal(error);
  };
  const storage = await openStorage(config, failed, { watch: logReplica(log), limits }, clock.now());
  parts.defer(() => storage.close());
  const { store, board, keys, record, formerPk, sealed, replica } = storage;
  if (formerPk !== undefined) log.warn({ board, former_board: agentId(formerPk) }, NEW_KEY);
  if (sealed) log.warn({ data: config.data }, SEALED);
  log.info({ profile: config.profile, cors: config.cors, host: config.host, base_url: config.baseUrl }, profileWords(config));
  const checkpointSigner = await CheckpointSigner.open(store, record, keys, clock, config.baseUrl);
  if (checkpointSigner.rolledBack) log.error({ seq: (await store.head()).seq, signed_seq: checkpointSigner.signedSeq }, ROLLED_BACK);
  const version = programVersion();
  boardMetrics(figures, config, storage, version);
  if (replica !== undefined) replicaMetrics(figures, replica);
  return { ...given, storage, checkpointSigner, version };
}
