// The services that operations use, in groups: for writing, reading, live events, and facts about the board.
import type { NameAgents } from "../../board/read/agent-names.ts";
import type { Directory } from "../../board/read/agents.ts";
import type { GatherBrief } from "../../board/read/gather-brief.ts";
import type { CheckpointSigner } from "../../board/operator/log-checkpoint-signer.ts";
import type { BeginBundle } from "../../board/write/post-many.ts";
import type { Difficulty } from "../../board/write/difficulty.ts";
import type { Dump } from "../../board/read/dump.ts";
import type { FindMessage, LocateMessage } from "../../board/read/message-by-id.ts";
import type { Cosign } from "../../board/proof/cosigning.ts";
import type { Prove, ReceiptOf } from "../../board/proof/inclusion-proofs.ts";
import type { Tiles } from "../../board/proof/tile-cache.ts";
import type { TreeHeads } from "../../board/proof/tree-head-signer.ts";
import type { KeyRing } from "../../board/read/keys.ts";
import type { OperateKey } from "../../board/write/keys.ts";
import type { ShowGraph } from "../../board/read/graph.ts";
import type { ReadHistory } from "../../board/read/status-history.ts";
import type { ReadInbox } from "../../board/read/inbox.ts";
import type { List, ListNow } from "../../board/read/list.ts";
import type { Feeds } from "../../board/live/subscriber-stream.ts";
import type { WaitFor } from "../../board/live/wait.ts";
import type { Acknowledge } from "../../board/write/acks.ts";
import type { OperateAlias } from "../../board/write/aliases.ts";
import type { Assist } from "../../board/write/assist.ts";
import type { Names } from "../../board/read/resolve-agents-and-messages.ts";
import type { Post } from "../../board/write/post.ts";
import type { Prepare } from "../../board/write/prepare.ts";
import type { Report } from "../../board/write/reports.ts";
import type { Swept } from "../../board/time/wait-for-sweep.ts";
import type { ReadStats } from "../../board/read/stats.ts";
import type { ReadAgentPaces, ReadOpenNeeds, ReadWorkPace } from "../../board/read/work-completion-stats.ts";
import type { ListTags } from "../../board/read/tags.ts";
import type { CountThreads, ReadThreadNews } from "../../board/read/thread-summaries.ts";
import type { ShowThread } from "../../board/read/thread.ts";
import type { FindWork, OffersOf } from "../../board/read/open-work.ts";
import type { CursorCodec } from "../../core/query/cursor.ts";
import type { AckReads } from "../../ports/acks.ts";
import type { AliasReads } from "../../ports/aliases.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Entropy } from "../../ports/entropy.ts";
import type { ModerationReads } from "../../ports/moderation.ts";
import type { ListReads, LogReads, MessageReads } from "../../ports/store.ts";
import type { Icons } from "../pages/feed.ts";
import type { SiteOf } from "../pages/page-helpers.ts";
import type { ManualParts } from "../documents/manual.ts";

/** Services that write. */
export interface WriteParts {
  readonly post: Post;
  readonly beginBundle: BeginBundle;
  readonly prepare: Prepare;
  readonly report: Report;
  readonly operateAlias: OperateAlias;
  readonly acknowledge: Acknowledge;
  readonly operateKey: OperateKey;
  /** Undefined if the operator has switched assistance off. */
  readonly assist: Assist | undefined;
  readonly difficulty: Difficulty;
  /** Throws if nothing may be written at the moment. */
  readonly requireWritable: () => void;
}

/** Services that read: readers of the board, and parts of the store. */
export interface ReadParts {
  readonly find: Swept<FindMessage>;
  readonly list: Swept<List>;
  readonly listNow: ListNow;
  readonly readInbox: Swept<ReadInbox>;
  readonly findWork: Swept<FindWork>;
  readonly gatherBrief: Swept<GatherBrief>;
  readonly showThread: Swept<ShowThread>;
  readonly showGraph: Swept<ShowGraph>;
  readonly readHistory: Swept<ReadHistory>;
  readonly agents: { readonly [Read in keyof Directory]: Swept<Directory[Read]> };
  readonly threadNews: Swept<ReadThreadNews>;
  readonly countThreads: Swept<CountThreads>;
  readonly nameAgents: Swept<NameAgents>;
  readonly listTags: Swept<ListTags>;
  readonly readStats: Swept<ReadStats>;
  readonly openNeeds: Swept<ReadOpenNeeds>;
  readonly offersOf: Swept<OffersOf>;
  readonly workPace: Swept<ReadWorkPace>;
  readonly agentPaces: Swept<ReadAgentPaces>;
  readonly dump: Swept<Dump>;
  readonly keys: { readonly [Read in keyof KeyRing]: Swept<KeyRing[Read]> };
  readonly names: Names;
  readonly cursors: CursorCodec;
  readonly checkpointSigner: CheckpointSigner;
  readonly tree: TreeParts;
  readonly messages: MessageReads;
  readonly lists: ListReads;
  readonly log: LogReads;
  readonly aliases: AliasReads;
  readonly acks: AckReads;
  readonly moderation: ModerationReads;
}

/** The tree over the log, and proofs from it. */
export interface TreeParts {
  readonly heads: TreeHeads;
  readonly tiles: Tiles;
  readonly witnessLines: string;
  readonly cosign: Cosign;
  readonly prove: Prove;
  readonly receiptOf: ReceiptOf;
  readonly locate: LocateMessage;
}

/** Services for live events. */
export interface LiveParts {
  readonly waitFor: WaitFor;
  readonly feeds: Feeds;
  readonly streamsOpen: () => number;
}

/** Facts about the board. */
export interface AboutParts extends ManualParts {
  readonly boardPk: string;
  /** The quota of the whole board, if it has one. */
  readonly maxBytes: number | undefined;
  /** The version of this program. */
  readonly version: string;
  /** Where security reports go. */
  readonly contact: string | undefined;
  /** Data that every page needs. */
  readonly site: SiteOf;
  readonly icons: Icons;
  /** The source of client.py. */
  readonly client: string;
}

export interface OperationParts {
  readonly write: WriteParts;
  readonly read: ReadParts;
  readonly live: LiveParts;
  readonly about: AboutParts;
  readonly clock: Clock;
  readonly entropy: Entropy;
}
