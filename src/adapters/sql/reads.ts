// Reads that are the same for every SQL store; finding, listing and writing messages is specific to each store.
import type { Store } from "../../ports/store.ts";
import { ack, reading } from "./acks.ts";
import { agentById, agents } from "./agents.ts";
import { alias, aliases, isLastAliasOp } from "./aliases.ts";
import { seenCache } from "./message-caches.ts";
import type { SqlRows } from "./dialect.ts";
import { keyFacts, keyOp, keyOpAt, keyOps, keysOf, keyStates, publicKey } from "./keys.ts";
import { inbox } from "./inbox.ts";
import { logEntries, oldestSeq, pastIds, pastSeq, statusEffects } from "./log.ts";
import { blob, changedSince, firstSeen, idsByPrefix, verifiers } from "./lookups.ts";
import { actions, moderationCounts, notice, notices, openReports, switches } from "./moderation.ts";
import { agentNames, agentsByPrefix } from "./names.ts";
import { boardStats, postedByMinute } from "./stats.ts";
import { tags } from "./tags.ts";
import { tile } from "./tree.ts";
import { answerTimes, claimedWork, needSupply, workCourses } from "./task-history.ts";
import {
  answersTo,
  barredWork,
  branches,
  divided,
  neighbours,
  openWorkOf,
  refs,
  refutationsOf,
  threadExtent,
  threadNews,
} from "./threads.ts";

export class SqlReads {
  protected readonly rows: SqlRows;
  protected readonly seenOf = seenCache();

  constructor(rows: SqlRows) {
    this.rows = rows;
  }

  agent: Store["agent"] = (...asked) => agentById(this.rows, this.seenOf, ...asked);
  agents: Store["agents"] = (query) => agents(this.rows, this.seenOf, query);
  ack: Store["ack"] = (id) => ack(this.rows, id);
  reading: Store["reading"] = (agent) => reading(this.rows, agent);
  agentNames: Store["agentNames"] = (...asked) => agentNames(this.rows, ...asked);
  agentsByPrefix: Store["agentsByPrefix"] = (...asked) => agentsByPrefix(this.rows, ...asked);
  alias: Store["alias"] = (...asked) => alias(this.rows, ...asked);
  isLastAliasOp: Store["isLastAliasOp"] = (...asked) => isLastAliasOp(this.rows, ...asked);
  aliases: Store["aliases"] = (...asked) => aliases(this.rows, ...asked);
  inbox: Store["inbox"] = (query) => inbox(this.rows, query);
  entries: Store["entries"] = (...asked) => logEntries(this.rows, ...asked);
  statusEffects: Store["statusEffects"] = (...asked) => statusEffects(this.rows, ...asked);
  oldestSeq: Store["oldestSeq"] = () => oldestSeq(this.rows);
  pastSeq: Store["pastSeq"] = (id) => pastSeq(this.rows, id);
  pastIds: Store["pastIds"] = (...asked) => pastIds(this.rows, ...asked);
  tile: Store["tile"] = (asked) => tile(this.rows, asked);
  keyFacts: Store["keyFacts"] = (agent) => keyFacts(this.rows, agent);
  keyStates: Store["keyStates"] = (agents) => keyStates(this.rows, agents);
  keysOf: Store["keysOf"] = (agent) => keysOf(this.rows, agent);
  keyOp: Store["keyOp"] = (id) => keyOp(this.rows, id);
  keyOps: Store["keyOps"] = (...asked) => keyOps(this.rows, ...asked);
  keyOpAt: Store["keyOpAt"] = (seq) => keyOpAt(this.rows, seq);
  publicKey: Store["publicKey"] = (agent) => publicKey(this.rows, agent);
  verifiers: Store["verifiers"] = (seq) => verifiers(this.rows, seq);
  firstSeen: Store["firstSeen"] = (agent) => firstSeen(this.rows, agent);
  changedSince: Store["changedSince"] = (...asked) => changedSince(this.rows, ...asked);
  idsByPrefix: Store["idsByPrefix"] = (...asked) => idsByPrefix(this.rows, ...asked);
  blob: Store["blob"] = (...asked) => blob(this.rows, ...asked);
  notices: Store["notices"] = (query) => notices(this.rows, query);
  notice: Store["notice"] = (id) => notice(this.rows, id);
  actions: Store["actions"] = (query) => actions(this.rows, query);
  moderationCounts: Store["moderationCounts"] = (since) => moderationCounts(this.rows, since);
  openReports: Store["openReports"] = () => openReports(this.rows);
  switches: Store["switches"] = () => switches(this.rows);
  boardStats: Store["boardStats"] = (query) => boardStats(this.rows, query);
  workCourses: Store["workCourses"] = (...asked) => workCourses(this.rows, ...asked);
  needSupply: Store["needSupply"] = (...asked) => needSupply(this.rows, ...asked);
  answerTimes: Store["answerTimes"] = (...asked) => answerTimes(this.rows, ...asked);
  claimedWork: Store["claimedWork"] = (...asked) => claimedWork(this.rows, ...asked);
  postedByMinute: Store["postedByMinute"] = (from) => postedByMinute(this.rows, from);
  tags: Store["tags"] = (query) => tags(this.rows, query);
  threadExtent: Store["threadExtent"] = (root) => threadExtent(this.rows, root);
  threadNews: Store["threadNews"] = (...asked) => threadNews(this.rows, ...asked);
  branches: Store["branches"] = (...asked) => branches(this.rows, ...asked);
  openWork: Store["openWork"] = (...asked) => openWorkOf(this.rows, ...asked);
  answersTo: Store["answersTo"] = (...asked) => answersTo(this.rows, ...asked);
  refutationsOf: Store["refutationsOf"] = (...asked) => refutationsOf(this.rows, ...asked);
  divided: Store["divided"] = (...asked) => divided(this.rows, ...asked);
  barredWork: Store["barredWork"] = (...asked) => barredWork(this.rows, ...asked);
  refs: Store["refs"] = (seqs) => refs(this.rows, seqs);
  neighbours: Store["neighbours"] = (query) => neighbours(this.rows, query);
}
