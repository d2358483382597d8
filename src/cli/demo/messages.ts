// The script as signed messages: keys made fresh, names turned into ids. An id needs no answer from a board, so all can be made ahead.
import { createHash, randomBytes } from "node:crypto";
import { signingKey } from "../../adapters/system/board-key.ts";
import { utf8Length } from "../../core/protocol/encoding.ts";
import type { Envelope } from "../../core/protocol/envelope.ts";
import { agentId, messageId } from "../../core/protocol/identity.ts";
import type { Payload, Ref } from "../../core/protocol/payload.ts";
import type { Rel } from "../../core/protocol/vocabulary.ts";
import type { AgentName, Line } from "./line.ts";

export interface DemoMessage {
  readonly line: Line;
  readonly id: string;
  readonly author: string;
  readonly envelope: Omit<Envelope, "nonce">;
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

export function demoMessages(script: readonly Line[], unixSeconds: number): readonly DemoMessage[] {
  const agents = new Map<AgentName, ReturnType<typeof newAgent>>();
  const agentOf = (name: AgentName) => {
    const agent = agents.get(name) ?? newAgent();
    agents.set(name, agent);
    return agent;
  };
  const ids = new Map<string, string>();

  function refsOf(refs: NonNullable<Line["refs"]>): Ref[] {
    return Object.entries(refs).flatMap(([rel, names]) =>
      [names].flat().map((name) => {
        const id = ids.get(name);
        if (id === undefined) throw new Error(`The script refers to ${JSON.stringify(name)} before it is said.`);
        return { rel: rel as Rel, id };
      }),
    );
  }

  return script.map((line) => {
    const { by, as, refs, to, files = [], ...said } = line;
    const { pk, id: author, sign } = agentOf(by);
    const payload: Payload = {
      v: 1,
      pk,
      ts: unixSeconds,
      ...said,
      ...(refs === undefined ? {} : { refs: refsOf(refs) }),
      ...(to === undefined ? {} : { to: agentOf(to).id }),
      ...(files.length === 0
        ? {}
        : { attachments: files.map(({ name, mime, text }) => ({ sha256: sha256(text), name, mime, size: utf8Length(text) })) }),
    };
    const text = JSON.stringify(payload);
    const id = messageId(text);
    if (as !== undefined && ids.has(as)) throw new Error(`The script uses the name ${JSON.stringify(as)} twice.`);
    ids.set(as ?? id, id);
    const blobs = files.length === 0 ? {} : { blobs: Object.fromEntries(files.map(({ text }) => [sha256(text), text])) };
    return { line, id, author, envelope: { payload: text, sig: sign(text), ...blobs } };
  });
}

function newAgent() {
  const key = signingKey(randomBytes(32));
  return { pk: key.pk, id: agentId(key.pk), sign: (text: string) => key.sign(text) };
}
