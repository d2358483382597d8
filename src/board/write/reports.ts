// Reports: finds the target that the reporter means, and stores a notice that only the operator sees.
import { Refusal } from "../../core/errors.ts";
import type { Notice } from "../../core/message/moderation-state.ts";
import { NETWORK_MARK_CHARS } from "../../core/message/execute-operator-commands.ts";
import { AGENT_ID, MESSAGE_ID } from "../../core/protocol/encoding.ts";
import { LIMITS } from "../../core/protocol/limits.ts";
import { sealHex } from "../../core/protocol/node-sha256.ts";
import type { ReportCategory } from "../../core/protocol/vocabulary.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Entropy } from "../../ports/entropy.ts";
import type { MessageReads } from "../../ports/store.ts";
import type { NameLookup } from "../read/resolve-agents-and-messages.ts";
import type { Append } from "./append.ts";
import { networkOf } from "../limits/callers.ts";

export interface Complaint {
  readonly target: string;
  readonly category: ReportCategory;
  readonly explanation: string;
  readonly contact?: string | undefined;
  /** The address that it came from, as limits count callers. */
  readonly caller: string;
}

export type Report = (complaint: Complaint) => Promise<Notice>;

export interface FilingParts {
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly append: Append;
  /** A secret of this board, so that the mark of a network tells others nothing. */
  readonly networkSecret: Uint8Array;
  /** Called for each new report. */
  readonly onReport: (notice: Notice) => void;
  /** Throws if the store accepts nothing at all. */
  readonly requireStore: () => void;
}

export interface ReportParts {
  readonly store: MessageReads;
  readonly names: NameLookup;
  readonly clock: Clock;
  readonly file: Report;
  readonly baseUrl: string;
  readonly requireStore: () => void;
}

/** Stored beside the mark of the network. */
const ID_BYTES = 6;
const PREFIX = new RegExp(`^[0-9a-f]{${LIMITS.id_prefix_chars},63}$`);

/** Stores a notice about exactly this target. */
export function filing({ clock, entropy, networkSecret, append, requireStore, onReport }: FilingParts): Report {
  const markOf = (caller: string): string => sealHex(networkSecret, networkOf(caller)).slice(0, NETWORK_MARK_CHARS);
  return async ({ target, category, explanation, contact, caller }) => {
    requireStore();
    const id = `rp_${markOf(caller)}${entropy.hex(ID_BYTES)}`;
    const closed = { state: "received", closedAt: null } as const;
    const notice = { id, at: clock.now(), category, target, explanation, contact: contact ?? null, ...closed };
    const { received } = await append({ type: "report", notice });
    onReport(received);
    return received;
  };
}

export function reporter({ store, names, clock, file, baseUrl, requireStore }: ReportParts): Report {
  return async ({ target, ...complaint }) => {
    requireStore();
    const meant = target.length > LIMITS.report_target_chars ? undefined : await targetOf(target.trim());
    if (meant === undefined)
      throw new Refusal("invalid_target", `${JSON.stringify(target.slice(0, 80))} is not something on this board.`, {
        details: { field: "target" },
      });
    return file({ ...complaint, target: meant });
  };

  /** The name by which the operator finds the target again. */
  async function targetOf(text: string): Promise<string | undefined> {
    const now = clock.now();
    if (AGENT_ID.test(text)) return (await store.firstSeen(text)) === undefined ? undefined : text;
    if (MESSAGE_ID.test(text)) {
      if ((await store.find(text, now)) !== undefined) return text;
      const { storedBlobs, blockedBlobs } = await store.precheck(text, "", [text], now);
      return storedBlobs.size + blockedBlobs.length > 0 ? text : undefined;
    }
    if (PREFIX.test(text)) {
      const [first, second] = await names.idsMeant(text, 2);
      if (second !== undefined)
        throw new Refusal("invalid_target", `More than one message id starts with ${text}.`, { hint: "Give the whole id." });
      // An alias may look like a prefix.
      if (first !== undefined) return first;
    }
    if (text.startsWith(`${baseUrl}/`)) {
      const named = /^\/(?:m|api\/messages|api\/blobs|a|api\/agents)\/([^/?#]+)/.exec(text.slice(baseUrl.length))?.[1];
      return named === undefined || named.startsWith(baseUrl) ? undefined : targetOf(named);
    }
    return (await names.findAlias(text))?.alias;
  }
}
