// What a backup undoes: the operator's acts, and the entries, that the database in whose place it comes knows and it does not.
import { isDeepStrictEqual } from "node:util";
import { Client } from "../../adapters/postgres/client.ts";
import { PostgresModeration } from "../../adapters/postgres/moderation.ts";
import { SqliteHead } from "../../adapters/sqlite/head.ts";
import { SqliteModeration } from "../../adapters/sqlite/moderation.ts";
import { openDatabase } from "../../adapters/sqlite/open.ts";
import { type AttachmentBlock, BLOCKED_ATTACHMENTS } from "../../adapters/sql/moderation-rows.ts";
import type { Action, Notice, Switches } from "../../core/message/moderation.ts";
import type { ModerationReads } from "../../ports/moderation.ts";

type Order = "remove" | "block-key" | "block-blob";

/** A decision in force that came after the backup, and how it was ordered. */
export interface LostDecision extends Action {
  readonly order: Order;
  readonly keepAttachments: boolean;
  /** A removal of a message that the backup does not hold cannot be ordered again. */
  readonly here: boolean;
}

export interface Undone {
  readonly lost: readonly LostDecision[];
  /** In force in the backup, and taken back after it. */
  readonly reversed: readonly Action[];
  /** As they were; only those that the backup has otherwise. */
  readonly switches: Partial<Switches>;
  /** Closed after the backup: the board takes them for open again. */
  readonly reopened: readonly string[];
  /** How many reports came after the backup. */
  readonly lostReports: number;
  /** The last entry that was given out, where the backup ends before it. */
  readonly givenOut: number | undefined;
}

interface Acts {
  readonly seq: number;
  readonly actions: readonly Action[];
  readonly notices: readonly Notice[];
  readonly switches: Switches;
  readonly attachments: readonly AttachmentBlock[];
}

const PAGE = 10_000;

/** What the backup undoes of a board in PostgreSQL. */
export async function undoneIn(url: string, backup: string): Promise<Undone> {
  const client = new Client({ url, connections: 1, name: "blackboard restore" });
  try {
    const [board] = await client.query<{ seq: number }>("SELECT seq FROM board");
    const attachments = await client.query<AttachmentBlock>(BLOCKED_ATTACHMENTS);
    const acts = await actsOf(new PostgresModeration(client));
    return await undoneBy(backup, { ...acts, seq: board?.seq ?? 0, attachments });
  } finally {
    await client.end();
  }
}

/** What the backup undoes of a board in a file; undefined where that cannot even be read. */
export async function undoneAt(path: string, backup: string): Promise<Undone | undefined> {
  const acts = await sqliteActs(path).catch(() => undefined);
  return acts && undoneBy(backup, acts);
}

async function sqliteActs(path: string): Promise<Acts> {
  const db = openDatabase(path, "read");
  try {
    const attachments = db.prepare(BLOCKED_ATTACHMENTS).all() as unknown as readonly AttachmentBlock[];
    return { ...(await actsOf(new SqliteModeration(db))), seq: new SqliteHead(db).read().seq, attachments };
  } finally {
    db.close();
  }
}

/** Answers at once, or in a while. */
type Reads = {
  readonly [Name in "actions" | "notices" | "switches"]: (
    ...query: Parameters<ModerationReads[Name]>
  ) => ReturnType<ModerationReads[Name]> | Awaited<ReturnType<ModerationReads[Name]>>;
};

async function actsOf(reads: Reads): Promise<Pick<Acts, "actions" | "notices" | "switches">> {
  const [actions, notices]: [Action[], Notice[]] = [[], []];
  for (let page: readonly Action[]; ; actions.push(...page)) {
    page = await reads.actions({ since: 0, before: actions.at(-1)?.seq, limit: PAGE });
    if (page.length === 0) break;
  }
  for (let page: readonly Notice[]; ; notices.push(...page)) {
    page = await reads.notices({ state: undefined, after: notices.at(-1), limit: PAGE });
    if (page.length === 0) break;
  }
  return { actions, notices, switches: await reads.switches() };
}

async function undoneBy(backup: string, was: Acts): Promise<Undone> {
  const is = await sqliteActs(backup);
  const inForce = new Set(is.actions.filter(({ state }) => state === "in_force").map(({ id }) => id));
  const open = new Set(is.notices.filter(({ state }) => state === "received").map(({ id }) => id));
  const known = new Set(is.notices.map(({ id }) => id));
  const { readOnly, ...pow } = was.switches;
  return {
    lost: lostDecisions(backup, was, is.seq),
    reversed: was.actions.filter(({ id, state }) => state === "reversed" && inForce.has(id)),
    switches: {
      ...(readOnly === is.switches.readOnly ? {} : { readOnly }),
      // One command gives them all.
      ...(isDeepStrictEqual({ ...is.switches, ...pow }, is.switches) ? {} : pow),
    },
    reopened: was.notices.filter(({ id, state }) => state !== "received" && open.has(id)).map(({ id }) => id),
    lostReports: was.notices.filter(({ id }) => !known.has(id)).length,
    givenOut: was.seq > is.seq ? was.seq : undefined,
  };
}

function lostDecisions(backup: string, { actions, attachments }: Acts, seq: number): readonly LostDecision[] {
  const db = openDatabase(backup, "read");
  try {
    const find = db.prepare("SELECT has_attachment AS attached FROM messages WHERE id = ? UNION ALL SELECT 0 FROM gone WHERE id = ?");
    return actions
      .filter((action) => action.seq > seq && action.state === "in_force")
      .map((action) => {
        const { id, target } = action;
        const blocked = attachments.filter((block) => block.action === id);
        const order = orderOf(action, blocked);
        const message = order === "remove" ? find.get(target, target) : undefined;
        return {
          ...action,
          order,
          keepAttachments: message?.["attached"] === 1 && blocked.length === 0,
          here: order !== "remove" || message !== undefined,
        };
      });
  } finally {
    db.close();
  }
}

/** An attachment is named like a message; but only a decision about an attachment blocks what it names. */
function orderOf({ visibility, target }: Action, blocked: readonly AttachmentBlock[]): Order {
  if (visibility === "key_blocked") return "block-key";
  return blocked.some(({ name }) => name === target) ? "block-blob" : "remove";
}
