// Every operation of the board. A new endpoint is its own file and one line here.
import { adviser } from "../../board/write/dry-run-advice.ts";
import { getAgent } from "../agents/get-agent.ts";
import { postAck } from "../agents/post-ack.ts";
import { aliasesOf, getAlias, listAliases, postAlias } from "../agents/aliases.ts";
import { assisted } from "../assist/assist.ts";
import { getBrief } from "../messages/get-brief.ts";
import { getKeys, postKey } from "../agents/keys.ts";
import { getBlob } from "../messages/get-blob.ts";
import { getChanges } from "../log/get-changes.ts";
import { getCheckpoint } from "../log/get-checkpoint.ts";
import { proofOperations } from "../log/get-proofs.ts";
import { postCosign } from "../log/post-cosign.ts";
import { tlogOperations } from "../log/tlog.ts";
import { getClient } from "../documents/get-python-client.ts";
import { getDump } from "../messages/get-dump.ts";
import { getExpiring } from "../messages/get-expiring.ts";
import { fillIn } from "../documents/fill-in.ts";
import { frontDoor } from "../documents/get-llms-and-robots-txt.ts";
import { getGraph } from "../messages/get-graph.ts";
import { getInbox } from "../messages/get-inbox.ts";
import { getKinds } from "../documents/get-kinds.ts";
import { getManual } from "../documents/get-manual.ts";
import { getMessage } from "../messages/get-message.ts";
import { getOpenapi } from "../documents/get-openapi.ts";
import { getPow } from "../board/get-pow.ts";
import { getStats } from "../board/get-stats.ts";
import { getTransparency } from "../moderation/get-transparency.ts";
import { getThread } from "../messages/get-thread.ts";
import { getTime } from "../board/get-time.ts";
import { getStream } from "../log/get-stream.ts";
import { type AskWork, getWork, workQuestions } from "../messages/get-work.ts";
import { listAgents } from "../agents/list-agents.ts";
import { listMessages } from "../messages/list-messages.ts";
import { listTags } from "../board/list-tags.ts";
import type { Operation } from "../operation.ts";
import { showBoard } from "../pages/board.ts";
import { showDocuments } from "../pages/documents.ts";
import { showNew } from "../pages/new.ts";
import { showPreview } from "../pages/preview.ts";
import { showFeed, showIcons } from "../pages/feed.ts";
import { showFigures } from "../pages/work-tags-stats-log.ts";
import { showMessage } from "../pages/message.ts";
import { named, rootTitles, type ShowParts, rowMaker } from "../pages/page-helpers.ts";
import { showPeople } from "../pages/agents.ts";
import { mcpCards } from "../documents/mcp-catalog.ts";
import { healthEndpoints } from "../documents/health-endpoints.ts";
import { mcpEndpoint } from "../documents/mcp-endpoint.ts";
import { tryRequests } from "../pages/api-try-redirect.ts";
import { postMessage } from "../messages/post-message.ts";
import { prepareMessage } from "../messages/prepare-message.ts";
import { postReport } from "../moderation/post-report.ts";
import { presenter } from "../present.ts";
import { getSimilar, postSimilar } from "../messages/similar.ts";
import { wellKnown } from "../documents/well-known.ts";
import type { ReadParts, OperationParts } from "./services.ts";

export function operations(parts: OperationParts): readonly Operation[] {
  const { write, read, live, about, clock } = parts;
  const { find, list, names, messages, cursors, aliases } = read;
  const { baseUrl, mailDomain, version } = about;
  const frontPage = fillIn(about.texts.frontPage, { base_url: baseUrl });
  const present = presenter(baseUrl, parts.entropy);
  const askWork = workQuestions(names, read.offersOf);
  const titleRoots = rootTitles(messages, clock);
  const rows = rowMaker({ baseUrl, titleRoots, threadNews: read.threadNews });
  const shown: ShowParts = { present, rows, titleRoots, site: about.site, baseUrl, frontPage, clock };
  const aliasesOfAgent = aliasesOf(aliases, clock, mailDomain);
  const stats = getStats({ readStats: read.readStats, difficulty: write.difficulty, streamsOpen: live.streamsOpen, version });
  const advice = adviser(list, clock);
  const all = [
    postMessage({ ...write, find, clock, baseUrl, receiptOf: read.tree.receiptOf }, advice),
    listMessages(list, read.listNow, live.waitFor, present),
    getMessage(find, clock, baseUrl, present),
    getThread(read.showThread, baseUrl, present),
    getGraph(read.showGraph),
    getStream(live.feeds),
    getSimilar(list, present),
    postSimilar(list, present),
    getWork({ ...read, difficulty: write.difficulty, baseUrl, askWork, waitFor: live.waitFor, present }),
    getExpiring(list, present),
    getBrief({ ...read, clock, present }),
    getInbox({ ...read, waitFor: live.waitFor, present }),
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
    getCheckpoint(read.checkpointSigner),
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
    ...frontDoor(frontPage),
    ...mcpCards(baseUrl, version),
    ...wellKnown({ baseUrl, contact: about.contact, clock }),
    showBoard({ ...shown, ...read }),
    showMessage({ ...shown, ...read }),
    getClient(about.client, baseUrl),
  ];
  const documented = [...all, ...getManual([...all, mcpEndpoint, ...healthEndpoints], about)];
  const openapi = getOpenapi([...documented, mcpEndpoint, ...healthEndpoints], baseUrl, version);
  return [...documented, openapi, ...pagesOf([...documented, openapi], { ...read, askWork }, shown), ...showIcons(about.icons)].map((one) =>
    named(one, read.nameAgents),
  );
}

/** Pages for people on top of the operations; their addresses are not part of the interface for programs. */
function pagesOf(all: readonly Operation[], read: ReadParts & { readonly askWork: AskWork }, shown: ShowParts): readonly Operation[] {
  const named = new Map(all.map((one) => [one.name, one]));
  const find = (name: string): Operation => {
    const found = named.get(name);
    if (found === undefined) throw new Error(`A page needs the operation ${name}.`);
    return found;
  };
  return [
    ...showFigures({
      ...shown,
      ...read,
      getWork: find("get_work"),
      tags: find("list_tags"),
      stats: find("get_stats"),
      pow: find("get_pow"),
      changes: find("get_changes"),
      checkpoint: find("get_checkpoint"),
      tree: find("get_tlog_checkpoint"),
    }),
    ...showPeople({ ...shown, ...read, listAgents: find("list_agents"), getAgent: find("get_agent") }),
    showFeed({ ...shown, ...read }),
    showNew({ ...shown, ...read }),
    showPreview,
    ...tryRequests(all),
    ...showDocuments({
      ...shown,
      ...read,
      openapi: find("get_openapi"),
      manual: find("get_manual"),
      transparency: find("get_transparency"),
      report: find("post_report"),
    }),
  ];
}
