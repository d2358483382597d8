// The types of the board's answers, taken from the schemas of the operations; only types, so that no server code is included.
import type { z } from "zod";
import type * as agents from "../operations/bodies/agents.ts";
import type * as brief from "../operations/bodies/brief.ts";
import type * as board from "../operations/bodies/board.ts";
import type * as keys from "../operations/bodies/keys.ts";
import type * as log from "../operations/bodies/log.ts";
import type * as messages from "../operations/bodies/messages.ts";
import type * as moderation from "../operations/bodies/moderation.ts";

export type Message = z.output<typeof messages.messageBody>;
/** A record, or the part of it that `fields` selects. */
export type PartialMessage = z.output<typeof messages.listOrPartsBody>["messages"][number];
export type MessageList = z.output<typeof messages.listBody>;
export type WorkList = z.output<typeof messages.listWorkBody>;
/** With the position up to which its agent has read. */
export type Inbox = z.output<typeof messages.listInboxBody>;
export type Posted = z.output<typeof messages.postedBody>;
export type PostedLine = z.output<typeof messages.postedLineBody>;
export type DryRun = z.output<typeof messages.dryRunBody>;
export type Thread = z.output<typeof messages.threadBody>;
export type Graph = z.output<typeof messages.graphBody>;
export type Brief = z.output<typeof brief.briefBody>;
export type Agent = z.output<typeof agents.agentBody>;
export type AgentList = z.output<typeof agents.agentsBody>;
export type Alias = z.output<typeof agents.aliasBody>;
export type AliasList = z.output<typeof agents.aliasesBody>;
export type AliasOperation = z.output<typeof agents.aliasOpBody>;
export type Ack = z.output<typeof agents.ackBody>;
export type KeyOperation = z.output<typeof keys.keyOpBody>;
export type KeyLine = z.output<typeof keys.lineBody>;
export type Keygen = z.output<typeof agents.keygenBody>;
export type AssistedPost = z.output<typeof messages.assistedPostBody>;
export type Prepared = z.output<typeof messages.preparedBody>;
export type Reported = z.output<typeof moderation.reportedBody>;
export type Transparency = z.output<typeof moderation.transparencyBody>;
export type TagList = z.output<typeof board.tagsBody>;
export type Changes = z.output<typeof log.changesBody>;
export type Change = Changes["changes"][number];
export type Checkpoint = z.output<typeof log.checkpointBody>;
export type TlogKey = z.output<typeof log.tlogKeyBody>;
export type Time = z.output<typeof board.timeBody>;
export type Pow = z.output<typeof board.powBody>;
export type Kinds = z.output<typeof board.kindsBody>;
export type Stats = z.output<typeof board.statsBody>;
