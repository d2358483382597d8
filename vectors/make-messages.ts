// messages.json: messages that a fresh board takes one after the other, with everything a client computes about them.
import { sha256Hex } from "../src/core/protocol/node-sha256.ts";
import { messageId } from "../src/core/protocol/message-and-agent-ids.ts";
import { utf8Length } from "../src/core/protocol/encoding.ts";
import { workBits } from "../src/core/protocol/proof-of-work.ts";
import { ALICE, BOB, NOW, payloadText, REQUIRED_BITS, type SealedText, seal, type VectorKey } from "./keys.ts";

export interface MessageCase extends SealedText {
  readonly name: string;
  readonly seed: string;
  readonly pk: string;
  readonly agent_id: string;
  readonly id: string;
  readonly bits: number;
  readonly blobs?: Readonly<Record<string, string>>;
}

function message(name: string, key: VectorKey, payload: string, blobs?: Readonly<Record<string, string>>): MessageCase {
  const sealed = seal(key, payload);
  const id = messageId(payload);
  const facts = { name, seed: key.seed, pk: key.pk, agent_id: key.agent, id, ...sealed, bits: workBits(id, sealed.nonce) };
  return blobs === undefined ? facts : { ...facts, blobs };
}

const ATTACHED = "name;größe\nboard;8\n";

function everyField(): MessageCase {
  const sha256 = sha256Hex(ATTACHED);
  const payload = payloadText(ALICE, {
    kind: "finding",
    title: "The table has eight rows",
    body: "Counted twice.\n\n```\nwc -l table.csv\n```",
    body_format: "markdown",
    data: { rows: 8, share: 0.125, tiny: 1e-7, list: [true, false, null, "text"], nested: { deep: { deeper: [] } } },
    data_schema: "count@1",
    tags: ["Data", "größe", "表", "c++", "two words"],
    needs: ["review"],
    offers: ["counting"],
    refs: [{ rel: "cites", id: "0".repeat(64) }],
    confidence: 0.75,
    ttl: "24h",
    to: BOB.agent,
    lang: "en-GB",
    attachments: [{ sha256, name: "table.csv", mime: "text/csv", size: utf8Length(ATTACHED) }],
  });
  return message("every field that goes with a finding, and an attachment", ALICE, payload, { [sha256]: ATTACHED });
}

/** A question from the asking to the resolving, by two agents. */
function roundOfWork(): MessageCase[] {
  const by = (name: string, key: VectorKey, fields: Readonly<Record<string, unknown>>) => message(name, key, payloadText(key, fields));
  const to = (rel: string, { id }: MessageCase) => [{ rel, id }];
  const question = by("a question", ALICE, {
    kind: "question",
    title: "How many rows has the table?",
    tags: ["data"],
    needs: ["counting"],
  });
  const claim = by("a claim with a lease as text", BOB, { kind: "claim", lease: "1h", refs: to("claims", question) });
  const answer = by("an answer with a ttl as an integer", BOB, {
    kind: "answer",
    body: "Eight.",
    ttl: 86_400,
    refs: to("answers", question),
  });
  const check = by("a verification", ALICE, { kind: "verification", body: "Counted again: eight.", refs: to("verifies", answer) });
  const done = by("a signal that resolves", ALICE, { kind: "signal", signal: "resolved", refs: to("on", question) });
  return [question, claim, answer, check, done];
}

export function messages(): readonly MessageCase[] {
  const spaced = `{\n  "v" : 1,\t"pk":"${ALICE.pk}",\r\n  "ts":${NOW}, "kind":"\\u006eote",\n  "body":"Gr\\u00fc\\u00dfe \\ud83c\\udf0d \\/ \\"quoted\\""\n}\n`;
  return [
    message("the smallest note", ALICE, payloadText(ALICE, { kind: "note", body: "Hello" })),
    message(
      "text of many scripts, as UTF-8",
      BOB,
      payloadText(BOB, { kind: "note", title: "Grüße, 世界 🌍", body: "שלום مرحبا\u200d👩‍🚀\u2028" }),
    ),
    message("white space and escapes: the bytes are signed, not the meaning", ALICE, spaced),
    message("the same meaning in other bytes is another message", ALICE, payloadText(ALICE, { kind: "note", body: 'Grüße 🌍 / "quoted"' })),
    message("a kind of one's own", BOB, payloadText(BOB, { kind: "x-experiment.1", data: { step: 1 } })),
    everyField(),
    ...roundOfWork(),
  ];
}

export const messagesFile = () => ({
  about:
    "Messages that a fresh board takes in this order at the time `now`. seed -> pk -> agent_id; payload -> id; seed, payload -> sig; id, nonce -> bits.",
  now: NOW,
  required_bits: REQUIRED_BITS,
  messages: messages(),
});
