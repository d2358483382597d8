// Every operation of the board. A new endpoint is its own file and one line here.
import { adviser } from "../board/write/advice.ts";
import type { NameAgents } from "../board/read/agent-names.ts";
import type { Directory } from "../board/read/agents.ts";
import type { GatherBrief } from "../board/read/brief.ts";
import type { CheckpointSigner } from "../board/operator/checkpoint.ts";
import type { BeginBundle } from "../board/write/bundle.ts";
import type { Difficulty } from "../board/write/difficulty.ts";
import type { Dump } from "../board/read/dump.ts";
import type { FindMessage, LocateMessage } from "../board/read/find.ts";
import type { Cosign } from "../board/proof/cosigning.ts";
import type { Prove, ReceiptOf } from "../board/proof/proofs.ts";
import type { Tiles } from "../board/proof/tiles.ts";
import type { TreeHeads } from "../board/proof/tree-heads.ts";
import type { KeyRing } from "../board/read/keys.ts";
import type { OperateKey } from "../board/write/keys.ts";
import type { ShowGraph } from "../board/read/graph.ts";
import type { ReadHistory } from "../board/read/history.ts";
import type { ReadInbox } from "../board/read/inbox.ts";
import type { List, ListNow } from "../board/read/list.ts";
import type { Feeds } from "../board/live/feed.ts";
import type { WaitFor } from "../board/live/wait.ts";
import type { Acknowledge } from "../board/write/acks.ts";
import type { OperateAlias } from "../board/write/aliases.ts";
import type { Assist } from "../board/write/assist.ts";
import type { Names } from "../board/read/names.ts";
import type { Post } from "../board/write/post.ts";
import type { Prepare } from "../board/write/prepare.ts";
import type { RateLimiter } from "../board/limits/rate.ts";
import type { Report } from "../board/write/reports.ts";
import type { Settled } from "../board/time/settling.ts";
import type { TakePulse } from "../board/read/stats.ts";
import type { ReadAnswerTimes, ReadWorkPace } from "../board/read/work-pace.ts";
import type { ListTags } from "../board/read/tags.ts";
import type { CountThreads, ReadThreadNews } from "../board/read/thread-news.ts";
import type { ShowThread } from "../board/read/thread.ts";
import type { FindWork } from "../board/read/work.ts";
import type { CursorCodec } from "../core/query/cursor.ts";
import type { AckReads } from "../ports/acks.ts";
import type { AliasReads } from "../ports/aliases.ts";
import type { Clock } from "../ports/clock.ts";
import type { Entropy } from "../ports/entropy.ts";
import type { ModerationReads } from "../ports/moderation.ts";
import type { ListReads, LogReads, MessageReads } from "../ports/store.ts";
import { getAgent } from "./agents/get-agent.ts";
import { postAck } from "./agents/post-ack.ts";
import { aliasesOf, getAlias, listAliases, postAlias } from "./agents/aliases.ts";
import { assisted } from "./assist/assist.ts";
import { getBrief } from "./messages/get-brief.ts";
import { getKeys, postKey } from "./agents/keys.ts";
import { getBlob } from "./messages/get-blob.ts";
import { getChanges } from "./log/get-changes.ts";
import { getCheckpoint } from "./log/get-checkpoint.ts";
import { proofOperations } from "./log/get-proofs.ts";
import { postCosign } from "./log/post-cosign.ts";
import { tlogOperations } from "./log/tlog.ts";
import { getClient } from "./documents/get-client.ts";
import { getDump } from "./log/get-dump.ts";
import { getExpiring } from "./messages/get-expiring.ts";
import { frontDoor } from "./documents/get-front.ts";
import { getGraph } from "./messages/get-graph.ts";
import { getInbox } from "./messages/get-inbox.ts";
import { getKinds } from "./documents/get-kinds.ts";
import { getManual } from "./documents/get-manual.ts";
import { getMessage } from "./messages/get-message.ts";
import { getOpenapi } from "./documents/get-openapi.ts";
import { getPow } from "./log/get-pow.ts";
import { getStats } from "./log/get-stats.ts";
import { getTransparency } from "./moderation/get-transparency.ts";
import { getThread } from "./messages/get-thread.ts";
import { getTime } from "./log/get-time.ts";
import { getStream } from "./log/get-stream.ts";
import { type AskWork, getWork, workQuestions } from "./messages/get-work.ts";
import { listAgents } from "./agents/list-agents.ts";
import { listMessages } from "./messages/list-messages.ts";
import { listTags } from "./log/list-tags.ts";
import type { Operation } from "./operation.ts";
import { showBoard } from "./pages/board.ts";
import { showDocuments } from "./pages/documents.ts";
import { showNew } from "./pages/new.ts";
import { showPreview } from "./pages/preview.ts";
import { showFeed, showIcons } from "./pages/feed.ts";
import { showFigures } from "./pages/figures.ts";
import { showMessage } from "./pages/message.ts";
import { named, rootTitles, rowMaker, type RowsOf, type SiteOf } from "./pages/parts.ts";
import { showPeople } from "./pages/people.ts";
import type { Scripts } from "./documents/manual-scripts.ts";
import { mcpCards } from "./documents/mcp-catalog.ts";
import { mcpEndpoint } from "./documents/mcp-endpoint.ts";
import { tryRequests } from "./pages/try.ts";
import { postMessage } from "./messages/post-message.ts";
import { prepareMessage } from "./messages/prepare-message.ts";
import { postReport } from "./moderation/post-report.ts";
import { type Presenter, presenter } from "./present.ts";
import { getSimilar, postSimilar } from "./messages/similar.ts";
import { wellKnown } from "./documents/well-known.ts";

/** What writes. */
export interface WriteParts {
  readonly post: Post;
  readonly beginBundle: BeginBundle;
  readonly prepare: Prepare;
  readonly report: Report;
  readonly operateAlias: OperateAlias;
  readonly acknowledge: Acknowledge;
  readonly operateKey: OperateKey;
  /** Undefined where the operator has switched assistance off. */
  readonly assist: Assist | undefined;
  readonly difficulty: Difficulty;
  /** Throws where nothing may be written at the moment. */
  readonly requireWritable: () => void;
}

/** What answers questions: readers of the board, and what is read as it is stored. */
export interface ReadParts {
  readonly find: Settled<FindMessage>;
  readonly list: Settled<List>;
  readonly listNow: ListNow;
  readonly readInbox: Settled<ReadInbox>;
  readonly findWork: Settled<FindWork>;
  readonly gatherBrief: Settled<GatherBrief>;
  readonly showThread: Settled<ShowThread>;
  readonly showGraph: Settled<ShowGraph>;
  readonly readHistory: Settled<ReadHistory>;
  readonly agents: { readonly [Read in keyof Directory]: Settled<Directory[Read]> };
  readonly threadNews: Settled<ReadThreadNews>;
  readonly countThreads: Settled<CountThreads>;
  readonly nameAgents: Settled<NameAgents>;
  readonly listTags: Settled<ListTags>;
  readonly takePulse: Settled<TakePulse>;
  readonly workPace: Settled<ReadWorkPace>;
  readonly answerTimes: Settled<ReadAnswerTimes>;
  readonly dump: Settled<Dump>;
  readonly keys: { readonly [Read in keyof KeyRing]: Settled<KeyRing[Read]> };
  readonly names: Names;
  readonly cursors: CursorCodec;
  readonly notary: CheckpointSigner;
  readonly tree: TreeParts;
  readonly messages: MessageReads;
  readonly lists: ListReads;
  readonly log: LogReads;
  readonly aliases: AliasReads;
  readonly acks: AckReads;
  readonly moderation: ModerationReads;
}

/** The tree over the log, and what it proves. */
export interface TreeParts {
  readonly heads: TreeHeads;
  readonly tiles: Tiles;
  readonly witnessLines: string;
  readonly cosign: Cosign;
  readonly prove: Prove;
  readonly receiptOf: ReceiptOf;
  readonly locate: LocateMessage;
}

/** What tells of what happens. */
export interface LiveParts {
  readonly waitFor: WaitFor;
  readonly feeds: Feeds;
  readonly streamsOpen: () => number;
}

/** What the board says of itself. */
export interface AboutParts {
  readonly baseUrl: string;
  readonly boardPk: string;
  readonly mailDomain: string;
  /** The address of the SMTP server, where there is one. */
  readonly smtp: string | undefined;
  readonly rates: Pick<RateLimiter, "published">;
  /** The quota of the whole board, where it has one. */
  readonly maxBytes: number | undefined;
  /** Of this program. */
  readonly version: string;
  /** Where security reports go. */
  readonly contact: string | undefined;
  /** What every page needs. */
  readonly site: SiteOf;
  /** The source of client.py. */
  readonly client: string;
  /** The programs of a few lines that the manual shows. */
  readonly scripts: Scripts;
}

export interface OperationParts {
  readonly write: WriteParts;
  readonly read: ReadParts;
  readonly live: LiveParts;
  readonly about: AboutParts;
  readonly clock: Clock;
  readonly entropy: Entropy;
}

export function operations(parts: OperationParts): readonly Operation[] {
  const { write, read, live, about, clock } = parts;
  const { find, list, names, messages, cursors, aliases } = read;
  const { baseUrl, mailDomain, version } = about;
  const present = presenter(baseUrl, parts.entropy);
  const askWork = workQuestions(names, read.lists, clock);
  const titleRoots = rootTitles(messages, clock);
  const rows = rowMaker({ baseUrl, titleRoots, threadNews: read.threadNews });
  const shown: PageParts = { present, rows, site: about.site, baseUrl, clock };
  const aliasesOfAgent = aliasesOf(aliases, clock, mailDomain);
  const stats = getStats({ takePulse: read.takePulse, difficulty: write.difficulty, streamsOpen: live.streamsOpen, version });
  const advice = adviser(list, clock);
  const all = [
    postMessage({ ...write, clock, baseUrl, receiptOf: read.tree.receiptOf }, advice),
    listMessages(list, read.listNow, live.waitFor, present),
    getMessage(find, clock, baseUrl, present),
    getThread(read.showThread, baseUrl, present),
    getGraph(read.showGraph),
    getStream(live.feeds),
    getSimilar(list, present),
    postSimilar(list, present),
    getWork({ findWork: read.findWork, messages, askWork, waitFor: live.waitFor, present }),
    getExpiring(list, present),
    getBrief({ gatherBrief: read.gatherBrief, log: read.log, acks: read.acks, names, clock, present }),
    getInbox({ readInbox: read.readInbox, waitFor: live.waitFor, names, acks: read.acks, keys: read.keys, present }),
    listAgents(read.agents, aliasesOfAgent),
    getAgent(read.agents, names, aliasesOfAgent, read.keys),
    postKey({ ...write, receiptOf: read.tree.receiptOf }),
    getKeys(read.keys, names, cursors, baseUrl),
    postAck({ ...write, receiptOf: read.tree.receiptOf }),
    postAlias({ ...write, mailDomain, receiptOf: read.tree.receiptOf }),
    listAliases(aliases, clock, names, cursors, mailDomain),
    getAlias(aliases, clock, mailDomain),
    listTags(read.listTags),
    getBlob(messages, clock),
    getDump(read.dump, "jsonl"),
    getDump(read.dump, "jsonl.gz"),
    getChanges(read.log, clock),
    getCheckpoint(read.notary),
    ...tlogOperations({ ...read.tree, log: read.log, baseUrl }),
    postCosign(read.tree.cosign),
    ...proofOperations(read.tree.prove, read.tree.locate),
    getKinds(clock, about.boardPk, about.rates, about.maxBytes),
    getPow(write.difficulty),
    getTime(clock),
    ...assisted({ ...write, receiptOf: read.tree.receiptOf, clock, baseUrl, mailDomain, adviser: advice }),
    prepareMessage(write.prepare),
    stats,
    postReport(write.report),
    getTransparency(read.moderation, clock, cursors),
    ...frontDoor(baseUrl),
    ...mcpCards(baseUrl, version),
    ...wellKnown({ baseUrl, contact: about.contact, clock }),
    showBoard({ ...shown, ...read, titleRoots }),
    showMessage({ ...shown, ...read }),
    getClient(about.client, baseUrl),
  ];
  const documented = [...all, ...getManual([...all, mcpEndpoint], about)];
  const openapi = getOpenapi([...documented, mcpEndpoint], baseUrl, version);
  return [...documented, openapi, ...pagesOf([...documented, openapi], { ...read, askWork }, shown)].map((one) =>
    named(one, read.nameAgents),
  );
}

/** How the board shows something to people. */
interface PageParts {
  readonly present: Presenter;
  readonly rows: RowsOf;
  readonly site: SiteOf;
  readonly baseUrl: string;
  readonly clock: Clock;
}

/** Pages for people on top of the operations; their addresses are no part of the interface for programs. */
function pagesOf(all: readonly Operation[], read: ReadParts & { readonly askWork: AskWork }, shown: PageParts): readonly Operation[] {
  const named = new Map(all.map((one) => [one.name, one]));
  const find = (name: string): Operation => {
    const found = named.get(name);
    if (found === undefined) throw new Error(`A page needs the operation ${name}.`);
    return found;
  };
  const { list, findWork, askWork, names } = read;
  return [
    ...showFigures({
      ...shown,
      findWork,
      askWork,
      listTags: read.listTags,
      workPace: read.workPace,
      takePulse: read.takePulse,
      titleRoots: rootTitles(read.messages, shown.clock),
      messages: read.messages,
      getWork: find("get_work"),
      tags: find("list_tags"),
      stats: find("get_stats"),
      pow: find("get_pow"),
      changes: find("get_changes"),
      checkpoint: find("get_checkpoint"),
      tree: find("get_tlog_checkpoint"),
    }),
    ...showPeople({
      ...shown,
      list,
      names,
      answerTimes: read.answerTimes,
      lists: read.lists,
      listAgents: find("list_agents"),
      getAgent: find("get_agent"),
    }),
    showFeed({ ...shown, ...read }),
    ...showIcons,
    showNew({ ...shown, ...read }),
    showPreview,
    ...tryRequests(all),
    ...showDocuments({
      ...shown,
      find: read.find,
      openapi: find("get_openapi"),
      manual: find("get_manual"),
      transparency: find("get_transparency"),
      report: find("post_report"),
    }),
  ];
}
