// Replays the key operations of a log by the board's own rules, and checks that no other key has signed for an agent.
import { DAY_MS } from "../../core/durations.ts";
import { Refusal } from "../../core/errors.ts";
import { countSigned, requireSigning, type SignedAct } from "../../core/keys/delegation.ts";
import { isKeyOperation, KeyBook, type KeyBookState, lateOps, signerOf } from "../../core/keys/replay-key-operations.ts";
import type { KeyState } from "../../core/keys/key-state.ts";
import type { Entry } from "../../core/log/chain.ts";
import { agentId } from "../../core/protocol/message-and-agent-ids.ts";
import { keyDraftOf, type KeyEnvelope } from "../../core/protocol/key-op.ts";
import { LIMITS } from "../../core/protocol/limits.ts";
import type { Payload } from "../../core/protocol/payload.ts";
import type { Change } from "../response-types.ts";
import { asFault, LogFault, type LogAudit } from "../verify-log.ts";
import { requireSignature } from "../verify-envelope.ts";

/** The fields of an entry that are about keys. */
interface AuditedEntry extends Pick<Entry, "seq" | "at" | "type" | "id" | "detail"> {
  readonly author?: string;
  readonly act?: SignedAct;
}

/** The state at the end of an audit, from which the next one can continue. */
export interface SavedKeys extends KeyBookState {
  /** Public keys by agent. */
  readonly pks: readonly (readonly [string, string])[];
  readonly erased: number;
  /** Whether the log was seen from its first entry on. */
  readonly whole: boolean;
}

/** Also knows since when a key acts for an agent. */
class AuditedBook extends KeyBook {
  /** The entry that is being read. */
  seq = 0;
  /** The entries at which keys began to act for another agent. */
  readonly joined = new Map<string, number>();

  override putKey(key: KeyState): void {
    super.putKey(key);
    const { agent, principal, role } = key;
    if (role !== "signer" && principal !== agent && !this.joined.has(agent)) this.joined.set(agent, this.seq);
  }
}

export class KeyAudit implements LogAudit {
  /** The result, once the log is finished. */
  book = new AuditedBook();
  readonly #from: SavedKeys | undefined;
  #whole = false;
  /** Key operations that depend on entries which the board no longer has. */
  skipped = 0;
  operations = 0;
  readonly #entries: AuditedEntry[] = [];
  readonly #pks = new Map<string, string>();
  /** Keys that a key operation named: their signatures are checked against it. */
  readonly #named = new Set<string>();
  /** Messages without content: their author is unknown. */
  #erased = 0;
  /** The time of the first entry about keys whose detail is erased: later operations may depend on it. */
  #firstGap = Infinity;

  constructor(from?: SavedKeys) {
    this.#from = from;
    this.#erased = from?.erased ?? 0;
    for (const [agent, pk] of from?.pks ?? []) this.#pks.set(agent, pk);
    for (const { agent } of from?.keys ?? []) this.#named.add(agent);
    for (const [agent] of from?.seen ?? []) this.#seen.add(agent);
  }

  /** Available when the audit is finished. */
  saved(): SavedKeys {
    return { ...this.book.state(), pks: [...this.#pks], erased: this.#erased, whole: this.#whole };
  }

  readonly principalOf = (agent: string, seq = Infinity): string => {
    const key = this.book.key(agent);
    const isOwn = key === undefined || key.role === "signer" || seq < (this.book.joined.get(agent) ?? 0);
    return isOwn ? agent : key.principal;
  };

  take({ seq, at: when, type, id, detail, raw }: Change): void {
    const at = Date.parse(when);
    const entry = { seq, at, type, id, detail };
    if (type === "create") {
      if (raw === undefined || raw === null) this.#erased++;
      else this.#message(entry, JSON.parse(raw.payload) as Payload);
    } else if (detail === null && (isKeyOperation(type) || type === "key_effect" || type === "alias_claim"))
      this.#firstGap = Math.min(this.#firstGap, at);
    else if (isKeyOperation(type) && detail !== null) {
      const { payload } = JSON.parse(detail) as KeyEnvelope;
      const { pk, agent, child } = JSON.parse(payload) as { pk: string; agent: string; child?: string };
      for (const one of [agentId(pk), agent, ...(child === undefined ? [] : [agentId(child)])]) this.#named.add(one);
      this.#pks.set(agentId(pk), pk);
      this.#entries.push(entry);
    } else if (type === "key_effect") this.#entries.push(entry);
    else {
      const signer = signerOf(entry);
      if (signer !== undefined && this.#matters(signer))
        this.#entries.push({ ...entry, author: signer, act: type === "ack" ? "ack" : "alias" });
    }
  }

  #message(entry: AuditedEntry, { pk, kind, refs, tags }: Payload): void {
    const author = agentId(pk);
    const matters = this.#matters(author);
    if (!this.#pks.has(author)) this.#pks.set(author, pk);
    if (matters) this.#entries.push({ ...entry, author, act: { message: { kind, ...(refs && { refs }), ...(tags && { tags }) } } });
  }

  /** The first message of a key gives its age; later ones matter only if a key operation names the key. */
  readonly #seen = new Set<string>();
  #matters(agent: string): boolean {
    if (this.#named.has(agent)) return true;
    const isFirst = !this.#seen.has(agent);
    this.#seen.add(agent);
    return isFirst;
  }

  /** `isSeen`: the log was seen from its first entry, or from the end of the previous audit. */
  async finish(isSeen: boolean, now = Date.now()): Promise<void> {
    // A board erases details by their age only; what it hides earlier excuses nothing.
    const hasGaps = this.#firstGap <= now - LIMITS.log_days * DAY_MS;
    const isWhole = (this.#from === undefined ? isSeen : this.#from.whole) && !hasGaps;
    this.#whole = isWhole;
    for (const entry of this.#entries) if (isKeyOperation(entry.type)) await this.#requireOld(entry);
    const late = new Set(lateOps(this.#entries));
    // If earlier messages of the key are erased, its first commitment may have had to wait. A replay in which it waits is tried before a
    // fault is reported.
    for (;;) {
      const fault = this.#replay(late);
      if (fault === undefined) return;
      const other = this.#erased > 0 ? this.#mayHaveWaited(fault.principal, late) : undefined;
      if (other === undefined && isWhole) throw new LogFault("keys", fault.entry.seq, `No board could have accepted this: ${fault.words}`);
      if (other === undefined) return this.#replayWhatStands(late);
      late.add(other);
    }
  }

  /** Checks the old key's signature of a rotation, if that key is known. */
  async #requireOld({ seq, id, detail }: AuditedEntry): Promise<void> {
    const { payload, old_sig: sig } = JSON.parse(detail ?? "{}") as KeyEnvelope;
    const pk = this.#pks.get(id);
    if (sig === undefined || pk === undefined) return;
    await requireSignature(pk, payload, sig).catch(asFault("signature", seq, "A signature of the key operation is invalid"));
  }

  #replay(late: ReadonlySet<string>): { readonly entry: AuditedEntry; readonly words: string; readonly principal: string } | undefined {
    this.book = new AuditedBook(late, this.#from);
    this.operations = 0;
    for (const entry of this.#entries) {
      const words = this.#read(entry);
      if (words === undefined) continue;
      const agent = entry.author ?? entry.id;
      return { entry, words, principal: this.book.key(agent)?.principal ?? agent };
    }
    return undefined;
  }

  /** The reason why a board could not have accepted the operation. */
  #read(entry: AuditedEntry): string | undefined {
    const { book } = this;
    book.seq = entry.seq;
    book.advance(entry.at);
    if (entry.type === "key_effect") {
      const { of } = JSON.parse(entry.detail ?? "{}") as { of: string };
      return book.states.get(of) === "counted" ? undefined : `nothing that waited counts as ${of}.`;
    }
    const { author, act } = entry;
    if (author !== undefined && act !== undefined) {
      const words = this.#signs(author, act);
      if (words !== undefined) return words;
    }
    const refused = book.read(entry);
    if (isKeyOperation(entry.type)) this.operations++;
    else if (entry.type === "create" && author !== undefined) countSigned(book, author);
    return refused?.message;
  }

  #signs(author: string, act: SignedAct): string | undefined {
    // Erased entries may have shown that a recovery key belongs to another agent.
    if (this.book.key(author)?.role === "signer" && this.#erased > 0) return undefined;
    try {
      requireSigning(this.book, author, act);
      return undefined;
    } catch (error) {
      if (error instanceof Refusal) return error.message;
      throw error;
    }
  }

  #mayHaveWaited(principal: string, late: ReadonlySet<string>): string | undefined {
    for (const { type, detail } of this.#entries) {
      if (type !== "key_commit" || detail === null) continue;
      const { id, payload } = keyDraftOf(JSON.parse(detail) as KeyEnvelope);
      if (!late.has(id) && (this.book.key(payload.agent)?.principal ?? payload.agent) === principal) return id;
    }
    return undefined;
  }

  /** If the beginning of the log is missing, operations that depend on it are left out. */
  #replayWhatStands(late: ReadonlySet<string>): void {
    this.book = new AuditedBook(late, this.#from);
    this.operations = 0;
    for (const entry of this.#entries) if (this.#read(entry) !== undefined && isKeyOperation(entry.type)) this.skipped++;
  }
}
