// Builds the reading part: the search index, and every reader of the board.
import { MEANING_TABLE } from "../adapters/system/package-files.ts";
import { holdsEd25519 } from "../adapters/system/verify-ed25519.ts";
import { openSearchIndex } from "../adapters/search/search-thread-client.ts";
import { agentNamer } from "../board/read/agent-names.ts";
import { directory } from "../board/read/agents.ts";
import { briefGatherer } from "../board/read/gather-brief.ts";
import { dumper } from "../board/read/dump.ts";
import { cosigner } from "../board/proof/cosigning.ts";
import { prover, receiptMaker } from "../board/proof/inclusion-proofs.ts";
import { Tiles } from "../board/proof/tile-cache.ts";
import { TreeHeads } from "../board/proof/tree-head-signer.ts";
import { messageFinder, messageLocator } from "../board/read/message-by-id.ts";
import { graphReader } from "../board/read/graph.ts";
import { historyReader } from "../board/read/status-history.ts";
import { keyRing } from "../board/read/keys.ts";
import { inboxReader } from "../board/read/inbox.ts";
import { lister } from "../board/read/list.ts";
import { names } from "../board/read/resolve-agents-and-messages.ts";
import { type NearSource, nearSource } from "../board/read/resolve-near.ts";
import { afterSweep } from "../board/time/wait-for-sweep.ts";
import { statsReader } from "../board/read/stats.ts";
import { tagLister } from "../board/read/tags.ts";
import { textSearch } from "../board/read/text-search.ts";
import { threadCounter, threadNewsReader } from "../board/read/thread-summaries.ts";
import { threadReader } from "../board/read/thread.ts";
import { readOnlyView } from "../board/read/read-only-expiry.ts";
import { type Versions, versions } from "../transports/http/etags.ts";
import { offersReader, workFinder } from "../board/read/open-work.ts";
import { agentPacesReader, openNeedsReader, workPaceReader } from "../board/read/work-completion-stats.ts";
import { sha256 } from "../core/protocol/node-sha256.ts";
import { parsePolicy } from "../core/tlog/policy.ts";
import { WordCaches } from "../core/search/document.ts";
import { cursorCodec } from "../core/query/cursor.ts";
import { keysBeside } from "../storage/key-ring.ts";
import type { ReadParts, TreeParts } from "../operations/catalog/services.ts";
import type { SearchIndex } from "../ports/search.ts";
import type { Foundation } from "./foundation.ts";
import type { Writing } from "./writing.ts";

export interface Reading extends ReadParts {
  readonly index: SearchIndex;
  readonly nearSource: NearSource;
  readonly words: WordCaches;
  readonly versions: Versions;
}

export function openReading(ground: Foundation, { sweeper }: Writing): Reading {
  const { config, clock, figures, checkpointSigner, storage, parts } = ground;
  const { store, key, source, indexDir } = storage;
  const index = openSearchIndex({ dir: indexDir, source, meaning: config.meaning ? MEANING_TABLE : undefined }, figures);
  parts.defer(() => index.close());
  const swept = afterSweep(sweeper);
  const lists = sweeper === undefined ? readOnlyView(store, clock) : store;
  const stored = { messages: store, lists, log: store };
  const held = keysBeside(config.keyFile);
  const cursors = cursorCodec(key.secretFor("cursors"), () => held().map((one) => one.secretFor("cursors")));
  const naming = names(store, clock, config.mailDomain);
  const words = new WordCaches();
  const sourceOfNear = nearSource(store, clock, words);
  const find = messageFinder(store, clock);
  const common = { ...stored, entries: store, clock, cursors, find };
  const { list, listNow } = lister({
    store: lists,
    clock,
    names: naming,
    cursors,
    search: textSearch(lists, index, sourceOfNear),
  });
  const agents = directory(common);
  const keys = keyRing(store, clock);
  const validators = versions(lists, clock);
  return {
    ...stored,
    aliases: store,
    acks: store,
    moderation: store,
    index,
    nearSource: sourceOfNear,
    words,
    versions: { ...validators, of: swept(validators.of) },
    checkpointSigner,
    tree: openTree(ground),
    cursors,
    names: naming,
    find: swept(find),
    list: swept(list),
    listNow,
    gatherBrief: swept(briefGatherer({ ...common, keys })),
    readInbox: swept(inboxReader(common)),
    findWork: swept(workFinder(lists, clock, cursors)),
    showThread: swept(threadReader(common)),
    showGraph: swept(graphReader(common)),
    readHistory: swept(historyReader(store)),
    threadNews: swept(threadNewsReader(common)),
    countThreads: swept(threadCounter(common)),
    nameAgents: swept(agentNamer(common)),
    agents: { find: swept(agents.find), list: swept(agents.list) },
    keys: { of: swept(keys.of), all: swept(keys.all), line: swept(keys.line) },
    listTags: swept(tagLister(common)),
    readStats: swept(statsReader(common)),
    openNeeds: swept(openNeedsReader(common)),
    offersOf: swept(offersReader(common)),
    workPace: swept(workPaceReader(common)),
    agentPaces: swept(agentPacesReader(common)),
    dump: swept(dumper(common, config.baseUrl)),
  };
}

function openTree({ config, clock, figures, checkpointSigner, storage: { store, keys, peers } }: Foundation): TreeParts {
  const tiles = new Tiles(store);
  const policy = config.witnessPolicy === undefined ? undefined : parsePolicy(config.witnessPolicy, sha256);
  const heads = new TreeHeads({ checkpointSigner, tiles, log: store, keys, policy, clock });
  const prove = prover(heads, tiles, store);
  return {
    heads,
    tiles,
    witnessLines: config.witnessPolicy === undefined ? "quorum none\n" : withoutLogs(config.witnessPolicy),
    cosign: cosigner({ heads, log: store, policy, verify: holdsEd25519, clock, peers }),
    prove,
    receiptOf: receiptMaker(prove, config.baseUrl, (error) => figures.failed("receipt", error)),
    locate: messageLocator(store, clock),
  };
}

/** The published policy names this board's log only. */
const withoutLogs = (policy: string): string => policy.replaceAll(/^[ \t]*log[ \t].*\n/gm, "");
