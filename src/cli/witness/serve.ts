// The HTTP interface of a witness (C2SP tlog-witness): accepts checkpoints, and serves the last one that was cosigned.
import { createServer, type IncomingMessage, type Server } from "node:http";
import { holds } from "../../client/tlog.ts";
import { sha256, sha256Hex } from "../../core/protocol/node-sha256.ts";
import { isOf } from "../../core/tlog/key.ts";
import { formatNote, parseSignatures } from "../../core/tlog/note.ts";
import type { Signer } from "../../core/tlog/signature.ts";
import { addCheckpoint, type Answer, parseAddCheckpoint } from "../../core/tlog/witness.ts";
import type { WitnessState } from "./state.ts";

const MOST_BYTES = 512 * 1024;

interface Reply {
  readonly status: number;
  readonly type?: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Handles add-checkpoint; the cosigned checkpoint is served from then on. */
export async function takeCheckpoint(body: Uint8Array | string, state: WitnessState, signer: Signer, now: () => number): Promise<Answer> {
  const answer = await addCheckpoint(body, state, [signer], now, { sha256, verify: holds });
  if (answer.status !== 200) return answer;
  const { note, checkpoint } = parseAddCheckpoint(body);
  const keys = state.keysOf(checkpoint.origin) ?? [];
  // Only signatures of the log's keys are kept, because only those were checked.
  const byLog = note.signatures.filter((line) => keys.some((key) => isOf(key, line)));
  state.show(checkpoint, formatNote({ text: note.text, signatures: [...byLog, ...parseSignatures(answer.body)] }));
  return answer;
}

export async function serveWitness(
  at: { readonly host: string; readonly port?: number },
  state: WitnessState,
  signer: Signer,
  now: () => number,
): Promise<Server> {
  const server = createServer((request, response) => {
    void reply(request, state, signer, now).then(
      ({ status, type = "text/plain; charset=utf-8", body, headers = {} }) =>
        response.writeHead(status, { "content-type": type, ...headers }).end(body),
      (error: unknown) => response.writeHead(500).end(`${(error as Error).message}\n`),
    );
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(at.port, at.host, resolve));
  return server;
}

async function reply(request: IncomingMessage, state: WitnessState, signer: Signer, now: () => number): Promise<Reply> {
  const [path = ""] = (request.url ?? "").split("?");
  const [, originHash] = /^\/([0-9a-f]{64})\/checkpoint$/.exec(path) ?? [];
  const method = path === "/add-checkpoint" ? "POST" : originHash === undefined ? undefined : "GET";
  if (method === undefined)
    return { status: 404, body: "This witness serves POST /add-checkpoint and GET /<SHA-256 of an origin in hex>/checkpoint.\n" };
  if (request.method !== method) return { status: 405, body: `Ask with ${method}.\n`, headers: { allow: method } };
  if (originHash !== undefined) {
    const note = state.shown((origin) => sha256Hex(origin) === originHash);
    return note === undefined ? { status: 404, body: "No checkpoint of such a log was cosigned here.\n" } : { status: 200, body: note };
  }
  const body = await bodyOf(request);
  // The rest of the request is not read.
  if (body === undefined)
    return { status: 413, body: `A request may have at most ${MOST_BYTES} bytes.\n`, headers: { connection: "close" } };
  return takeCheckpoint(body, state, signer, now);
}

async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MOST_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
