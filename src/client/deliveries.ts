// What became of addressed messages at those whom they were sent to, from the log alone: nobody's word but the addressees' own.
import type { AckPayload } from "../core/protocol/ack.ts";
import type { Payload } from "../core/protocol/payload.ts";
import type { Change } from "./answers.ts";
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
  readonly agent: string;
  readonly at: string;
  readonly payload: AckPayload;
}

const ENDS: ReadonlySet<string> = new Set(["expire", "retract", "remove"]);

/** The agent for whom a key acts. */
export type PrincipalOf = (agent: string) => string;

export class Deliveries {
  readonly #sent = new Map<string, Sent>();
  readonly #acks: Acknowledged[] = [];

  /** The next entry, once it was checked. */
  take({ seq, at, type, id, detail, raw }: Change): void {
    if (type === "create" && raw !== undefined && raw !== null) {
      const { to } = JSON.parse(raw.payload) as Payload;
      if (to !== undefined) this.#sent.set(id, { seq, to, at });
    } else if (ENDS.has(type)) this.#sent.delete(id);
    else if (type === "ack" && detail !== null) this.#acks.push({ agent: id, at, payload: ackIn(detail) });
  }

  /** Live messages that are addressed to somebody, by id; what any key of the addressee says counts. */
  states(principalOf: PrincipalOf = (agent) => agent): ReadonlyMap<string, Delivery> {
    const states = new Map<string, Delivery>();
    /** Not yet covered by what their addressee has read, oldest first. */
    const unseen = new Map<string, { readonly id: string; readonly seq: number }[]>();
    for (const [id, { seq, to, at }] of this.#sent) {
      states.set(id, { state: "stored", at });
      const principal = principalOf(to);
      const waiting = unseen.get(principal) ?? [];
      waiting.push({ id, seq });
      unseen.set(principal, waiting);
    }
    for (const { agent, at, payload } of this.#acks) {
      const { seen = 0, acted = [], declined = [] } = payload;
      const principal = principalOf(agent);
      const own = (id: string): boolean => principalOf(this.#sent.get(id)?.to ?? "") === principal;
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
