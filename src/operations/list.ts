// Every operation of the board. A new endpoint is its own file and one line here.
import { adviser } from "../board/advice.ts";
import { directory } from "../board/agents.ts";
import type { Notary } from "../board/checkpoint.ts";
import type { Difficulty } from "../board/difficulty.ts";
import { dumper } from "../board/dump.ts";
import { messageFinder } from "../board/find.ts";
import { graphReader } from "../board/graph.ts";
import { historyReader } from "../board/history.ts";
import type { List, ListAtHand } from "../board/list.ts";
import type { Feeds } from "../board/live/feed.ts";
import type { WaitFor } from "../board/live/wait.ts";
import type { OperateAlias } from "../board/aliases.ts";
import type { Names } from "../board/names.ts";
import type { Post } from "../board/post.ts";
import type { Prepare } from "../board/prepare.ts";
import type { RateLimiter } from "../board/rate.ts";
import type { Report } from "../board/reports.ts";
import type { ReadersStore } from "../board/sweep.ts";
import { pulseTaker } from "../board/stats.ts";
import { type ListTags, tagLister } from "../board/tags.ts";
import { threadReader } from "../board/thread.ts";
import type { FindWork } from "../board/work.ts";
import type { CursorCodec } from "../core/query/cursor.ts";
import type { Clock } from "../ports/clock.ts";
import type { Entropy } from "../ports/entropy.ts";
import { getAgent } from "./get-agent.ts";
import { aliasesOf, getAlias, listAliases, postAlias } from "./aliases.ts";
import { assisted, type AssistedParts } from "./assist.ts";
import { getBlob } from "./get-blob.ts";
import { getChanges } from "./get-changes.ts";
import { getCheckpoint } from "./get-checkpoint.ts";
import { getClient } from "./get-client.ts";
import { getDump } from "./get-dump.ts";
import { getExpiring } from "./get-expiring.ts";
import { frontDoor } from "./get-front.ts";
import { getGraph } from "./get-graph.ts";
import { getInbox } from "./get-inbox.ts";
import { getKinds } from "./get-kinds.ts";
import { getManual } from "./get-manual.ts";
import { getMessage } from "./get-message.ts";
import { getOpenapi } from "./get-openapi.ts";
import { getPow } from "./get-pow.ts";
import { getStats } from "./get-stats.ts";
import { getTransparency } from "./get-transparency.ts";
import { getThread } from "./get-thread.ts";
import { getTime } from "./get-time.ts";
import { getStream } from "./get-stream.ts";
import { type AskWork, getWork, workQuestions } from "./get-work.ts";
import { listAgents } from "./list-agents.ts";
import { listMessages } from "./list-messages.ts";
import { listTags } from "./list-tags.ts";
import type { Operation } from "./operation.ts";
import { showBoard } from "./pages/board.ts";
import { showDocuments } from "./pages/documents.ts";
import { showPreview } from "./pages/preview.ts";
import { showFigures } from "./pages/figures.ts";
import { showMessage } from "./pages/message.ts";
import { rowMaker, type RowsOf, type SiteOf } from "./pages/parts.ts";
import { showPeople } from "./pages/people.ts";
import { mcpCards } from "./mcp-cards.ts";
import { mcpEndpoint } from "./mcp-endpoint.ts";
import { tryRequests } from "./pages/try.ts";
import { postMessage } from "./post-message.ts";
import { prepareMessage } from "./prepare-message.ts";
import { postReport } from "./post-report.ts";
import { type Presenter, presenter } from "./present.ts";
import { getSimilar, postSimilar } from "./similar.ts";
import { wellKnown } from "./well-known.ts";

export interface OperationParts extends AssistedParts {
  readonly store: ReadersStore;
  readonly clock: Clock;
  readonly post: Post;
  readonly prepare: Prepare;
  readonly report: Report;
  readonly list: List;
  readonly findWork: FindWork;
  readonly listAtHand: ListAtHand;
  readonly waitFor: WaitFor;
  readonly feeds: Feeds;
  readonly streamsOpen: () => number;
  readonly names: Names;
  readonly operateAlias: OperateAlias;
  /** Throws where nothing may be written at the moment. */
  readonly requireWritable: () => void;
  readonly mailDomain: string;
  readonly entropy: Entropy;
  readonly cursors: CursorCodec;
  readonly notary: Notary;
  readonly difficulty: Difficulty;
  readonly baseUrl: string;
  readonly boardPk: string;
  readonly rates: Pick<RateLimiter, "published">;
  /** The quota of the whole board, where it has one. */
  readonly maxBytes: number | undefined;
  /** Of this program. */
  readonly version: string;
  /** The address of the SMTP server, where there is one. */
  readonly smtp: string | undefined;
  /** Where security reports go. */
  readonly contact: string | undefined;
  /** What every page needs. */
  readonly site: SiteOf;
  /** The source of client.py. */
  readonly client: string;
}

export function operations(parts: OperationParts): readonly Operation[] {
  const { store, clock, list, findWork, names, notary, difficulty, baseUrl, boardPk } = parts;
  const present = presenter(baseUrl, parts.entropy);
  const askWork = workQuestions(names, store, clock);
  const find = messageFinder(store, clock);
  const agents = directory(parts);
  const showThread = threadReader({ ...parts, find });
  const showGraph = graphReader({ ...parts, find });
  const listing = tagLister(parts);
  const rows = rowMaker(baseUrl);
  const stats = getStats({ ...parts, takePulse: pulseTaker(parts), streamsOpen: parts.streamsOpen });
  const all = [
    postMessage(parts, adviser(list, clock)),
    listMessages(list, parts.listAtHand, parts.waitFor, present),
    getMessage(find, clock, baseUrl, present),
    getThread(showThread, baseUrl, present),
    getGraph(showGraph),
    getStream(parts.feeds),
    getSimilar(list, present),
    postSimilar(list, present),
    getWork(findWork, store, askWork, present),
    getExpiring(list, present),
    getInbox(list, names, present),
    listAgents(agents, aliasesOf(store, clock, parts.mailDomain)),
    getAgent(agents, names, aliasesOf(store, clock, parts.mailDomain)),
    postAlias(parts),
    listAliases(store, clock, names, parts.cursors, parts.mailDomain),
    getAlias(store, clock, parts.mailDomain),
    listTags(listing),
    getBlob(store, clock),
    getDump(dumper(parts), "jsonl"),
    getDump(dumper(parts), "jsonl.gz"),
    getChanges(store, clock),
    getCheckpoint(notary),
    getKinds(clock, boardPk, parts.rates, parts.maxBytes),
    getPow(difficulty),
    getTime(clock),
    ...assisted(parts),
    prepareMessage(parts.prepare),
    stats,
    postReport(parts.report),
    getTransparency(store, clock, parts.cursors),
    ...frontDoor(baseUrl),
    ...mcpCards(baseUrl, parts.version),
    ...wellKnown(parts),
    showBoard({ ...parts, listTags: listing, stats, present, rows }),
    showMessage({ ...parts, find, showThread, showGraph, readHistory: historyReader(store) }),
    getClient(parts.client, baseUrl),
  ];
  const documented = [...all, ...getManual([...all, mcpEndpoint], parts)];
  const openapi = getOpenapi([...documented, mcpEndpoint], baseUrl, parts.version);
  return [...documented, openapi, ...pagesOf([...documented, openapi], { ...parts, listTags: listing, askWork, present, rows })];
}

interface PageParts extends OperationParts {
  readonly listTags: ListTags;
  readonly askWork: AskWork;
  readonly present: Presenter;
  readonly rows: RowsOf;
}

/** Pages for people on top of the operations; their addresses are no part of the interface for programs. */
function pagesOf(all: readonly Operation[], parts: PageParts): readonly Operation[] {
  const named = new Map(all.map((one) => [one.name, one]));
  const find = (name: string): Operation => {
    const found = named.get(name);
    if (found === undefined) throw new Error(`A page needs the operation ${name}.`);
    return found;
  };
  return [
    ...showFigures({
      ...parts,
      getWork: find("get_work"),
      tags: find("list_tags"),
      stats: find("get_stats"),
      pow: find("get_pow"),
      changes: find("get_changes"),
      checkpoint: find("get_checkpoint"),
    }),
    ...showPeople({ ...parts, listAgents: find("list_agents"), getAgent: find("get_agent") }),
    showPreview,
    ...tryRequests(all),
    ...showDocuments({ ...parts, openapi: find("get_openapi"), transparency: find("get_transparency"), report: find("post_report") }),
  ];
}
