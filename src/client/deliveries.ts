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
  delivery: Delivery;
}

const ENDS: ReadonlySet<string> = new Set(["expire", "retract", "remove"]);

export class Deliveries {
  readonly #sent = new Map<string, Sent>();
  /** Not yet covered by what their addressee has read, oldest first. */
  readonly #unseen = new Map<string, Sent[]>();

  /** The next entry, once it was checked. */
  take({ seq, at, type, id, detail, raw }: Change): void {
    if (type === "create" && raw !== undefined && raw !== null) this.#create(seq, at, id, raw);
    else if (ENDS.has(type)) this.#sent.delete(id);
    else if (type === "ack" && detail !== null) this.#acknowledge(id, at, ackIn(detail));
  }

  /** Live messages that are addressed to somebody, by id. */
  get states(): ReadonlyMap<string, Delivery> {
    return new Map([...this.#sent].map(([id, { delivery }]) => [id, delivery]));
  }

  #create(seq: number, at: string, id: string, raw: RawMessage): void {
    const { to } = JSON.parse(raw.payload) as Payload;
    if (to === undefined) return;
    const sent: Sent = { seq, to, delivery: { state: "stored", at } };
    this.#sent.set(id, sent);
    const unseen = this.#unseen.get(to);
    if (unseen === undefined) this.#unseen.set(to, [sent]);
    else unseen.push(sent);
  }

  #acknowledge(agent: string, at: string, { seen = 0, acted = [], declined = [] }: AckPayload): void {
    const own = (id: string): Sent | undefined => {
      const sent = this.#sent.get(id);
      return sent?.to === agent ? sent : undefined;
    };
    const unseen = this.#unseen.get(agent) ?? [];
    const beyond = unseen.findIndex((one) => one.seq > seen);
    for (const sent of unseen.splice(0, beyond === -1 ? unseen.length : beyond))
      if (sent.delivery.state === "stored") sent.delivery = { state: "seen", at };
    for (const id of acted) {
      const sent = own(id);
      if (sent !== undefined) sent.delivery = { state: "acted", at };
    }
    for (const { id, why } of declined) {
      const sent = own(id);
      if (sent !== undefined) sent.delivery = { state: "declined", at, why };
    }
  }
}

/** The payload of an acknowledgement, from the text of its entry. */
const ackIn = (detail: string): AckPayload => JSON.parse((JSON.parse(detail) as RawMessage).payload) as AckPayload;
