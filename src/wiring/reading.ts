// Builds what answers questions: the search index, and every reader of the board.
import { openSearchIndex } from "../adapters/search/thread-index.ts";
import { directory } from "../board/read/agents.ts";
import { briefGatherer } from "../board/read/brief.ts";
import { dumper } from "../board/read/dump.ts";
import { messageFinder } from "../board/read/find.ts";
import { graphReader } from "../board/read/graph.ts";
import { historyReader } from "../board/read/history.ts";
import { lister } from "../board/read/list.ts";
import { names } from "../board/read/names.ts";
import { type NearSource, nearSource } from "../board/read/near-source.ts";
import { settling } from "../board/time/settling.ts";
import { pulseTaker } from "../board/read/stats.ts";
import { tagLister } from "../board/read/tags.ts";
import { textSearch } from "../board/read/text-search.ts";
import { threadReader } from "../board/read/thread.ts";
import { unswept } from "../board/read/read-only-view.ts";
import { type Versions, versions } from "../transports/http/versions.ts";
import { workFinder } from "../board/read/work.ts";
import { cursorCodec } from "../core/query/cursor.ts";
import type { ReadParts } from "../operations/list.ts";
import type { SearchIndex } from "../ports/search.ts";
import type { Ground } from "./ground.ts";
import type { Writing } from "./writing.ts";

export interface Reading extends ReadParts {
  readonly index: SearchIndex;
  readonly nearSource: NearSource;
  readonly versions: Versions;
}

export function openReading({ config, clock, figures, notary, storage, parts }: Ground, { sweeper }: Writing): Reading {
  const { store, key, source, indexDir } = storage;
  const index = openSearchIndex({ dir: indexDir, source }, figures);
  parts.defer(() => index.close());
  const settled = settling(sweeper);
  const lists = sweeper === undefined ? unswept(store, clock) : store;
  const stored = { messages: store, lists, log: store };
  const cursors = cursorCodec(key.secretFor("cursors"));
  const naming = names(store, clock, config.mailDomain);
  const sourceOfNear = nearSource(store, clock);
  const find = messageFinder(store, clock);
  const common = { ...stored, clock, cursors, find };
  const { list, listNow } = lister({
    store: lists,
    clock,
    names: naming,
    cursors,
    search: textSearch(lists, index, sourceOfNear),
  });
  const agents = directory(common);
  const validators = versions(lists, clock);
  return {
    ...stored,
    aliases: store,
    acks: store,
    moderation: store,
    index,
    nearSource: sourceOfNear,
    versions: { ...validators, of: settled(validators.of) },
    notary,
    cursors,
    names: naming,
    find: settled(find),
    list: settled(list),
    listNow,
    gatherBrief: settled(briefGatherer(common)),
    findWork: settled(workFinder(lists, clock, cursors)),
    showThread: settled(threadReader(common)),
    showGraph: settled(graphReader(common)),
    readHistory: settled(historyReader(store)),
    agents: { find: settled(agents.find), list: settled(agents.list) },
    listTags: settled(tagLister(common)),
    takePulse: settled(pulseTaker(common)),
    dump: settled(dumper({ ...common, baseUrl: config.baseUrl })),
  };
}
