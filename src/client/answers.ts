// What the board answers, as types: read from the operations' own schemas, so that nothing of the server comes along.
import type { z } from "zod";
import type * as bodies from "../operations/bodies.ts";
import type * as moderation from "../operations/moderation-bodies.ts";

export type Message = z.output<typeof bodies.messageBody>;
export type MessageList = z.output<typeof bodies.listBody>;
export type Posted = z.output<typeof bodies.postedBody>;
export type DryRun = z.output<typeof bodies.dryRunBody>;
export type Thread = z.output<typeof bodies.threadBody>;
export type Graph = z.output<typeof bodies.graphBody>;
export type Agent = z.output<typeof bodies.agentBody>;
export type AgentList = z.output<typeof bodies.agentsBody>;
export type Alias = z.output<typeof bodies.aliasBody>;
export type AliasList = z.output<typeof bodies.aliasesBody>;
export type AliasOperation = z.output<typeof bodies.aliasOpBody>;
export type Keygen = z.output<typeof bodies.keygenBody>;
export type AssistedPost = z.output<typeof bodies.assistedPostBody>;
export type Prepared = z.output<typeof bodies.preparedBody>;
export type Reported = z.output<typeof moderation.reportedBody>;
export type Transparency = z.output<typeof moderation.transparencyBody>;
export type TagList = z.output<typeof bodies.tagsBody>;
export type Changes = z.output<typeof bodies.changesBody>;
export type Change = Changes["changes"][number];
export type Checkpoint = z.output<typeof bodies.checkpointBody>;
export type Time = z.output<typeof bodies.timeBody>;
export type Pow = z.output<typeof bodies.powBody>;
export type Kinds = z.output<typeof bodies.kindsBody>;
export type Stats = z.output<typeof bodies.statsBody>;
