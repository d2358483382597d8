// Public corpora of input that broke other programs, sent to every place of the board that accepts such input.
import type { Agent } from "../../test/support/agent.ts";
import { stuffed } from "../../test/support/smtp.ts";
import { noVectors, vectorBytes, vectorFiles, vectorJson } from "../../test/support/vectors.ts";
import { head, type FuzzRequest } from "./fuzz-requests.ts";

export interface Corpora {
  readonly requests: readonly (() => FuzzRequest)[];
  readonly mails: readonly Buffer[];
}

/** Requests are made when they are sent, because signed payloads contain the time. */
export function hostileCorpora(agent: Agent): Corpora {
  if (noVectors) return { requests: [], mails: [] };
  return {
    requests: [...json(agent), ...strings(agent), ...bytes(), ...keys(agent), ...markup(agent)],
    mails: ["mime/mailparser/test/fixtures", "mime/mailauth/test/fixtures"].flatMap(vectorFiles).map((file) => stuffed(vectorBytes(file))),
  };
}

const JSON_TYPE = { host: "127.0.0.1", connection: "close", "content-type": "application/json" };

function post(kind: string, target: string, body: Buffer, accept = "*/*"): FuzzRequest {
  const first = head("POST", target, { ...JSON_TYPE, accept, "content-length": String(body.length) });
  return { kind, pieces: [Buffer.concat([first, body])], end: "answer" };
}

function get(kind: string, target: string, accept = "*/*"): FuzzRequest {
  return { kind, pieces: [head("GET", target, { host: "127.0.0.1", connection: "close", accept })], end: "answer" };
}

const signed = (agent: Agent, fields: Parameters<Agent["envelope"]>[0]): Buffer => Buffer.from(JSON.stringify(agent.envelope(fields)));
const call = (given: object): Buffer =>
  Buffer.from(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "search_messages", arguments: given } }));
const BOTH = "application/json, text/event-stream";

const json = (agent: Agent): (() => FuzzRequest)[] =>
  ["json/JSONTestSuite/test_parsing", "json/JSONTestSuite/test_transform"].flatMap(vectorFiles).flatMap((file) => {
    const body = vectorBytes(file);
    const text = body.toString("utf8");
    const payload = () => `{"v":1,"pk":"${agent.pk}","ts":${Math.floor(Date.now() / 1000)},"kind":"note","body":"x","data":{"a":${text}}}`;
    return [
      () => post(`${file} as a body`, "/api/messages", body),
      () => post(`${file} as data`, "/api/messages", Buffer.from(JSON.stringify(agent.seal(payload().toWellFormed())))),
      () => post(`${file} over MCP`, "/mcp", body, BOTH),
    ];
  });

const strings = (agent: Agent): (() => FuzzRequest)[] =>
  vectorJson<string[]>("strings/blns.json").flatMap((given, i) => {
    const text = given.toWellFormed();
    const asked = encodeURIComponent(text);
    return [
      () =>
        post(
          `naughty string ${i} in a message`,
          "/api/messages",
          signed(agent, { kind: "note", title: text.slice(0, 90).toWellFormed(), body: text }),
        ),
      () => get(`naughty string ${i} searched`, `/api/messages?q=${asked}&format=md`),
      () => get(`naughty string ${i} on a page`, `/?q=${asked}&tag=${asked}`, "text/html"),
      () => get(`naughty string ${i} in an address`, `/api/messages/${asked}`),
      () => post(`naughty string ${i} over MCP`, "/mcp", call({ q: text }), BOTH),
    ];
  });

const bytes = (): (() => FuzzRequest)[] => {
  const lines = vectorBytes("utf8/utf8tests.bin").toString("latin1").split("\n");
  return lines.map((line, i) => () => post(`UTF-8 test ${i}`, "/api/similar", Buffer.from(`{"text":"${line}"}`, "latin1")));
};

interface Signature {
  readonly pub_key: string;
  readonly signature: string;
}

const url = (hex: string): string => Buffer.from(hex, "hex").toString("base64url");
const keys = (agent: Agent): (() => FuzzRequest)[] => {
  const { testGroups } = vectorJson<{ testGroups: { publicKey: { pk: string }; tests: { sig: string }[] }[] }>(
    "ed25519/wycheproof_ed25519_test.json",
  );
  const known = testGroups.flatMap(({ publicKey, tests }) =>
    tests.map(({ sig }): Signature => ({ pub_key: publicKey.pk, signature: sig })),
  );
  const low = vectorJson<string[]>("local/ed25519_low_order_encodings.json").map((one): Signature => ({
    pub_key: one,
    signature: one + one,
  }));
  return [...known, ...low, ...vectorJson<Signature[]>("ed25519/speccheck_cases.json")].map((one, i) => () => {
    const payload = JSON.stringify({ v: 1, pk: url(one.pub_key), ts: Math.floor(Date.now() / 1000), kind: "note", body: `key ${i}` });
    return post(`signature ${i}`, "/api/messages", Buffer.from(JSON.stringify({ ...agent.seal(payload), sig: url(one.signature) })));
  });
};

const markup = (agent: Agent): (() => FuzzRequest)[] => {
  const fixtures = vectorFiles("xss/markdown-it/test/fixtures/markdown-it").map((file) => vectorBytes(file).toString("utf8"));
  const texts = [...fixtures, ...vectorJson<{ payload: string }[]>("xss/dompurify_expect.json").map(({ payload }) => payload)];
  return texts.flatMap((given, i) => {
    const body = given.slice(0, 32_000).toWellFormed();
    return [
      () => post(`markup ${i} in a message`, "/api/messages", signed(agent, { kind: "note", body })),
      () => post(`markup ${i} previewed`, "/preview", Buffer.from(JSON.stringify({ body }))),
    ];
  });
};
