// Reads that are the same for every SQL store; finding, listing and writing messages is specific to each store.
import { ackReads } from "./acks.ts";
import { agentReads } from "./agents.ts";
import { aliasReads } from "./aliases.ts";
import type { SqlRows } from "./dialect.ts";
import { identityReads } from "./board-identity.ts";
import { inboxReads } from "./inbox.ts";
import { keyReads } from "./keys.ts";
import { logReads } from "./log.ts";
import { lookups } from "./lookups.ts";
import { type SeenOf, seenCache } from "./message-caches.ts";
import { moderationReads } from "./moderation.ts";
import { nameReads } from "./names.ts";
import { statsReads } from "./stats.ts";
import { tagReads } from "./tags.ts";
import { workReads } from "./task-history.ts";
import { threadReads } from "./threads.ts";
import { treeReads } from "./tree.ts";

const readsOf = (rows: SqlRows, seenOf: SeenOf) => ({
  ...ackReads(rows),
  ...agentReads(rows, seenOf),
  ...aliasReads(rows),
  ...identityReads(rows),
  ...inboxReads(rows),
  ...keyReads(rows),
  ...logReads(rows),
  ...lookups(rows),
  ...moderationReads(rows),
  ...nameReads(rows),
  ...statsReads(rows),
  ...tagReads(rows),
  ...threadReads(rows),
  ...treeReads(rows),
  ...workReads(rows),
});

// oxlint-disable typescript/no-unsafe-declaration-merging -- the constructor adds all that the interface says.
export interface SqlReads extends ReturnType<typeof readsOf> {}
export class SqlReads {
  protected readonly rows: SqlRows;
  readonly seenOf = seenCache();

  constructor(rows: SqlRows) {
    this.rows = rows;
    Object.assign(this, readsOf(rows, this.seenOf));
  }
}
