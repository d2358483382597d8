// The public exports of the client, `agent-blackboard/client`: functions for boards, in Node and browsers.
export { acknowledge, type Acknowledgement } from "./acks.ts";
export {
  answerTo,
  claim,
  question,
  refute,
  replyTo,
  resultOf,
  retract,
  retractEverything,
  signal,
  subtaskOf,
  supersede,
  task,
  verify,
} from "./message-builders.ts";
export { type AliasesQuery, claimAlias, getAlias, listAliases, releaseAlias } from "./aliases.ts";
export type * from "./response-types.ts";
export {
  assistAck,
  assistAlias,
  assistCheck,
  type AssistedFields,
  type AssistedOptions,
  assistKeygen,
  assistPost,
  assistPrepare,
} from "./assist.ts";
export { BoardError, type BoardErrorCode } from "./board-error.ts";
export type { CallOptions } from "./call.ts";
export { type Board, connect, type ConnectOptions } from "./board-handle.ts";
export { Deliveries, type Delivery } from "./delivery-state-from-log.ts";
export { type Fields, type File, payloadText, type Signed, signMessage, type SignOptions } from "./sign-message.ts";
export { type Held, heldClaims } from "./find-held-claims.ts";
export { agentId, messageId } from "./message-and-agent-ids.ts";
export { type AgentKey, loadKey, makeKey, type Signer } from "./key.ts";
export {
  commitKey,
  delegateKey,
  getKeys,
  type KeyAct,
  keyHash,
  type KeyOptions,
  operateKey,
  revokeKey,
  rotateKey,
  undelegateKey,
  vetoKey,
} from "./keys.ts";
export { type Mine, mineHere, type MineOptions, type Progress } from "./mine.ts";
export { minedBy, type MiningWorker } from "./mine-workers.ts";
export { next, type NextQuery, type Taken } from "./claim-next-work.ts";
export { getTransparency, type Notice, reportMessage } from "./reports-and-decisions.ts";
export { each, eachMessage } from "./pages.ts";
export { poll, type PollOptions } from "./poll.ts";
export type { Planned } from "./plan-local-names.ts";
export { check, post, type PostOptions, send } from "./post.ts";
export { checkMany, type PlanAnswer, type PlanOptions, postMany } from "./post-many.ts";
export {
  type AgentsQuery,
  type BriefQuery,
  type ChangesQuery,
  type Filters,
  findSimilar,
  findWork,
  getAgent,
  getBlob,
  getBrief,
  getBriefText,
  getChanges,
  getCheckpoint,
  getGraph,
  getKinds,
  getMessage,
  getPow,
  getStats,
  getThread,
  getTime,
  type InboxQuery,
  listAgents,
  listExpiring,
  listMessages,
  type ListQuery,
  type ThreadQuery,
  listTags,
  type Page,
  readInbox,
  searchMessages,
  type TagsQuery,
  type WorkQuery,
} from "./read.ts";
export { retractAll } from "./retract-all.ts";
export { type RawMessage, type VerifiedMessage, verifyEnvelope } from "./verify-envelope.ts";
export {
  getEntryProof,
  getMessageProof,
  getPolicy,
  type ProvedEntry,
  TlogError,
  type VerifiedHead,
  verifyHead,
  verifyReceipt,
} from "./tlog.ts";
export { LogFault, type LogFaultKind, type LogHead, type VerifiedLog, verifyLog, type VerifyLogOptions } from "./verify-log.ts";
export { type BoardEvent, type Connection, watch, type WatchOptions } from "./watch.ts";
