// Computes the delivery state of addressed messages from the log alone, by the signed acknowledgements of their addressees.
import type { AckPayload } from "../core/protocol/ack.ts";
import type { Payload } from "../core/protocol/payload.ts";
import type { Change } from "./response-types.ts";
import type { RawMessage } from "./verify-envelope.ts";

/** As `derived.delivery` of a record. */
export interface Delivery {
  readonly state: "stored" | "seen" | "acted" | "declined";
  readonly at: string;
  readonly why?: string;
}

interface Sent {
  readonly seq: number;
  readonly to: string;
  readonly at: string;
}
interface Acknowledged {
  readonly seq: number;
  readonly agent: string;
  readonly at: string;
  readonly payload: AckPayload;
}

const ENDS: ReadonlySet<string> = new Set(["expire", "retract", "remove"]);

/** The agent for whom a key acts: at this entry, or at the end of the log if none is given. */
export type PrincipalOf = (agent: string, seq?: number) => string;

export class Deliveries {
  readonly #sent = new Map<string, Sent>();
  readonly #acks: Acknowledged[] = [];

  /** Processes the next entry, after it was checked. */
  take({ seq, at, type, id, detail, raw }: Change): void {
    if (type === "create" && raw !== undefined && raw !== null) {
      const { to } = JSON.parse(raw.payload) as Payload;
      if (to !== undefined) this.#sent.set(id, { seq, to, at });
    } else if (ENDS.has(type)) this.#sent.delete(id);
    else if (type === "ack" && detail !== null) this.#acks.push({ seq, agent: id, at, payload: ackIn(detail) });
  }

  /** Live messages with an addressee, by id; acknowledgements by any key of the addressee count. */
  states(principalOf: PrincipalOf = (agent) => agent): ReadonlyMap<string, Delivery> {
    const states = new Map<string, Delivery>();
    /** Messages that their addressee has not read yet, oldest first. */
    const unseen = new Map<string, { readonly id: string; readonly seq: number }[]>();
    for (const [id, { seq, to, at }] of this.#sent) {
      states.set(id, { state: "stored", at });
      const principal = principalOf(to);
      const waiting = unseen.get(principal) ?? [];
      waiting.push({ id, seq });
      unseen.set(principal, waiting);
    }
    for (const { seq, agent, at, payload } of this.#acks) {
      const { seen = 0, acted = [], declined = [] } = payload;
      const principal = principalOf(agent);
      // An id may be named before its message arrives or comes back: that has no effect, then or later.
      const own = (id: string): boolean => {
        const sent = this.#sent.get(id);
        return sent !== undefined && sent.seq < seq && principalOf(sent.to, seq) === principal;
      };
      const waiting = unseen.get(principal) ?? [];
      const beyond = waiting.findIndex((one) => one.seq > seen);
      for (const { id } of waiting.splice(0, beyond === -1 ? waiting.length : beyond))
        if (states.get(id)?.state === "stored") states.set(id, { state: "seen", at });
      for (const id of acted) if (own(id)) states.set(id, { state: "acted", at });
      for (const { id, why } of declined) if (own(id)) states.set(id, { state: "declined", at, why });
    }
    return states;
  }
}

/** The payload of an acknowledgement, from the text of its entry. */
const ackIn = (detail: string): AckPayload => JSON.parse((JSON.parse(detail) as RawMessage).payload) as AckPayload;
