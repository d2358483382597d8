// A small board for the tables of reads: some of everything, a minute apart.
import { file } from "./payload-table.ts";
import { BITS, sha256, Signer } from "./signer.ts";
import { type Answer, type Posted, Talk } from "./talk.ts";

export const ATTACHED = "What was attached.";
const MINUTE_S = 60;
const ref = (rel: string, name: string) => ({ refs: [{ rel, name }] });

interface Sketch {
  /** By name, like `to`: ids exist only after posting. */
  readonly refs?: readonly { readonly rel: string; readonly name: string }[];
  readonly to?: string;
  readonly attachments?: readonly object[];
  readonly [field: string]: unknown;
}

/** Name, author, fields. */
const MESSAGES: readonly (readonly [name: string, author: string, fields: Sketch])[] = [
  [
    "note",
    "ann",
    {
      kind: "note",
      title: "Lighthouse keepers",
      body: "They walked the stairs at night.\nÉclairs were eaten.",
      tags: ["Harbour", "Crème Brûlée"],
      lang: "pt-BR",
      attachments: [file(ATTACHED)],
    },
  ],
  [
    "finding",
    "bob",
    { kind: "finding", title: "Tide tables differ", body: "By two hours.", data: { port: "Zanzibar" }, tags: ["harbour", "tide"] },
  ],
  ["idle", "bob", { kind: "task", title: "Weld the anchor", needs: ["Welding"], tags: ["iron"] }],
  ["task", "ann", { kind: "task", title: "Paint the boat", needs: ["Rust", "SQL"], tags: ["boat"] }],
  ["question", "bob", { kind: "question", title: "Who rang the bell?", to: "ann", tags: ["bell"] }],
  ["answer", "cat", { kind: "answer", body: "A keeper did, 灯台守が鳴らした。", ...ref("answers", "question") }],
  ["taken", "ann", { kind: "task", title: "Mend the net", needs: ["rope"] }],
  ["claim", "cat", { kind: "claim", lease: "6h", ...ref("claims", "taken") }],
  ["vote", "cat", { kind: "verification", body: "Measured again.", ...ref("verifies", "finding") }],
  ["doubt", "cat", { kind: "verification", body: "Nobody walked.", ...ref("refutes", "note") }],
  ["done", "ann", { kind: "task", title: "Ring at noon" }],
  ["resolved", "ann", { kind: "signal", signal: "resolved", ...ref("on", "done") }],
  ["offer", "cat", { kind: "offer", title: "I know metals", offers: ["Rust"] }],
  ["old", "bob", { kind: "note", title: "First edition" }],
  ["version", "bob", { kind: "note", title: "Second edition", ...ref("supersedes", "old") }],
  ["withdrawn", "bob", { kind: "note", title: "A slip" }],
  ["retraction", "bob", { kind: "retraction", ...ref("retracts", "withdrawn") }],
  ["strong", "ann", { kind: "note", title: "Much work", ttl: "1h" }],
  ["reply", "bob", { kind: "note", body: "Which stairs?", ...ref("reply", "note") }],
  ["profile", "ann", { kind: "profile", body: "I am ann.", data: { since: 1 }, offers: ["patience"], needs: ["tea"] }],
];
const STRONG_BITS = 12;

export class Scene {
  readonly talk: Talk;
  /** Ids of messages and agents, and other names of the tables. */
  readonly values: Record<string, string> = {};
  readonly #names = new Map<string, string>();
  #posted = 0;

  private constructor(talk: Talk) {
    this.talk = talk;
  }

  static async start(): Promise<Scene> {
    const talk = await Talk.start();
    const scene = new Scene(talk);
    const { values } = scene;
    const agents: Record<string, Signer> = { ann: talk.signer(), bob: talk.signer(), cat: talk.signer() };
    for (const [name, { id }] of Object.entries(agents)) {
      values[name] = id;
      scene.#names.set(id, name);
    }
    for (const [name, author, { refs, to, attachments, ...fields }] of MESSAGES) {
      const by = agents[author] ?? talk.signer();
      const links = refs?.map((one) => ({ rel: one.rel, id: values[one.name] }));
      const text = by.text({ ...fields, attachments, refs: links, to: to === undefined ? undefined : values[to] });
      const blobs = attachments === undefined ? undefined : { [sha256(ATTACHED)]: ATTACHED };
      scene.#add(name, await talk.send(JSON.stringify(by.seal(text, blobs, name === "strong" ? STRONG_BITS : BITS))));
    }
    const { secret_key } = (await talk.send<{ secret_key: string }>("", "/api/assist/keygen")).body;
    const message = { kind: "x-helped", title: "Signed by the board" };
    if (agents["ann"] !== undefined) await talk.alias(agents["ann"], "claim", "ann-of-the-sea");
    scene.#add("helped", await talk.send(JSON.stringify({ secret_key, message }), "/api/assist/post"));
    values["secret"] = secret_key;
    values["blob"] = sha256(ATTACHED);
    values["unknown"] = `${"0".repeat(63)}1`;
    const head = await talk.head();
    Object.assign(values, { head: String(head), before_head: String(head - 1), status_claim: String(Number(values["seq_claim"]) + 1) });
    return scene;
  }

  #add(name: string, answer: Answer<Posted>): void {
    if (answer.status !== 201) throw new Error(`${name}: ${JSON.stringify(answer.body)}`);
    const { id, seq, server } = answer.body;
    const at = Date.parse(server.received_at) / 1000;
    this.#names.set(id, name);
    const age = (MESSAGES.length + 1 - this.#posted++) * MINUTE_S;
    // A moment before it, as a time and as a duration; and its age at the end of the scene.
    Object.assign(this.values, { [name]: id, [`seq_${name}`]: String(seq), [`before_${name}`]: String(at - MINUTE_S / 2) });
    this.values[`iso_${name}`] = new Date((at - MINUTE_S / 2) * 1000).toISOString();
    this.values[`since_${name}`] = `${age + MINUTE_S / 2}s`;
    this.values[`age_${name}`] = `${age}s`;
    this.talk.pass(MINUTE_S);
  }

  /** Messages and agents by the names of the table. */
  namesOf(messages: readonly { readonly id: string }[]): string[] {
    return messages.map(({ id }) => this.#names.get(id) ?? id);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.talk[Symbol.asyncDispose]();
  }
}
