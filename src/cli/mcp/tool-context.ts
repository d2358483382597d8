// The context of a tool that runs beside its user: operations are called over HTTP, and posts are signed and mined here.
import { randomBytes } from "node:crypto";
import { z } from "zod";
import { acknowledge, type Acknowledgement } from "../../client/acks.ts";
import { claimAlias, getAlias, releaseAlias } from "../../client/aliases.ts";
import { BoardError, unlessRefused } from "../../client/board-error.ts";
import { callEither } from "../../client/call.ts";
import type { Board } from "../../client/board-handle.ts";
import type { Fields, File } from "../../client/sign-message.ts";
import { check, noteQuote, post, type PostOptions, worthJudging } from "../../client/post.ts";
import { getMessage } from "../../client/read.ts";
import { payloadSchema, requireSchema } from "../../core/protocol/payload.ts";
import { prefixUnknown, type ShortFormLookup, writtenOut } from "../../core/protocol/short-forms.ts";
import { type ErrorBody, errorBody, Refusal } from "../../core/errors.ts";
import { filledPath } from "../../core/text/path-template.ts";
import { fence, TOKEN_BYTES } from "../../core/view/fence.ts";
import type { Ask, ToolKey } from "../../transports/mcp/tool-context.ts";
import { asTexts } from "../../transports/mcp/arguments-as-texts.ts";
import type { ToolContextFor } from "../../transports/mcp/server.ts";
import type { BridgeKey } from "./delegated-bridge-key.ts";
import type { OperationSchemas } from "../../transports/mcp/openapi-schemas.ts";

export interface RemoteParts {
  readonly board: Board;
  readonly shapes: () => Promise<OperationSchemas>;
  readonly key: BridgeKey;
  readonly mining: Pick<PostOptions, "mine" | "onProgress">;
}

export function remoteToolContext(parts: RemoteParts): ToolContextFor {
  return (gone) => ({
    ask: remoteAsk(parts, gone),
    toolKey: explainingKey(parts, gone),
    self: parts.key.self(),
    owner: parts.key.main.agent,
    marks: fence(randomBytes(TOKEN_BYTES).toString("hex")),
  });
}

const remoteAsk =
  ({ board, shapes }: RemoteParts, signal: AbortSignal): Ask =>
  async (operation, parameters, body) => {
    const { method, path } = (await shapes()).operation(operation);
    const query = asTexts(parameters);
    const filled = filledPath(path, (name) => {
      const value = query[name];
      if (value === undefined)
        throw new Refusal("invalid_parameter", `\`${name}\` is missing.`, { hint: `Give \`${name}\`.`, details: { parameter: name } });
      delete query[name];
      return encodeURIComponent(value);
    });
    const answer = await callEither(board, filled, {
      query,
      signal,
      idempotent: operation !== "post_report",
      ...(method === "POST" ? { body: body ?? {} } : {}),
    });
    if (operation === "get_work") noteQuote(board, answer as object);
    return answer;
  };

/** Checks that are needed before signing; the board checks the rest. */
const attached = z.object({ attachments: payloadSchema.shape.attachments });

/** The key never leaves this process. Refusals are worded for a program that signs for another. */
function explainingKey(parts: RemoteParts, signal: AbortSignal): ToolKey {
  const toolKey = signingKey(parts, signal);
  const explained = <Answer>(answer: Promise<Answer>): Promise<Answer> =>
    answer.catch((error: unknown) => Promise.reject(parts.key.explain(error)));
  return {
    ...toolKey,
    post: (...given) => explained(toolKey.post(...given)),
    alias: (...given) => explained(toolKey.alias(...given)),
    acknowledge: (...given) => explained(toolKey.acknowledge(...given)),
  };
}

const signingKey = ({ board, key, mining }: RemoteParts, signal: AbortSignal): ToolKey => ({
  create: async () => ({ pk: key.main.pk, agent_id: key.main.agent }),
  require: () => key.self(),
  async post(message, { blobs, dryRun }) {
    const { message: written, blobs: texts } = await writtenOut(message, lookupAt(board, signal));
    const { attachments: given = [], ...fields } = written as unknown as Fields;
    const { attachments = [] } = requireSchema(attached, { attachments: given });
    const { rest, files } = filesOf(attachments, { ...(blobs as object | undefined), ...texts });
    const whole = (rest.length === 0 ? fields : { ...fields, attachments: rest }) as Fields;
    const judge = await key.judging();
    if (dryRun === true) return { ...(await check(board, judge, whole, { files, signal })) };
    // A refused message costs no proof of work, also before a key is delegated.
    if (judge.agent !== key.self()) await check(board, judge, whole, { files, signal });
    const judgedFirst = await worthJudging(board, { signal });
    return { ...(await key.posting((signer) => post(board, signer, whole, { files, ...mining, signal, judgedFirst, targets: true }))) };
  },
  async alias(op, alias) {
    if (typeof alias !== "string") throw new Refusal("invalid_alias");
    const operate = op === "release" ? releaseAlias : claimAlias;
    return { ...(await operate(board, await key.naming(), alias, { ...mining, signal })) };
  },
  // An acknowledgement by a delegated key counts for its parent.
  acknowledge: async (what) => ({
    ...(await key.posting((signer) => acknowledge(board, signer, what as Acknowledgement, { ...mining, signal }))),
  }),
});

const lookupAt = (board: Board, signal: AbortSignal): ShortFormLookup => ({
  wholeId: async (prefix, field) =>
    (await unlessRefused(getMessage(board, prefix, { include: [], signal }), "not_found"))?.id ?? Promise.reject(prefixUnknown(field)),
  agentOf: async (name) => (await unlessRefused(getAlias(board, name, { signal }), "alias_unknown"))?.agent,
});

/** Attachments that were given as text become files; the others are stored at the board already. */
function filesOf(attachments: NonNullable<Fields["attachments"]>, blobs: unknown): { rest: typeof attachments; files: File[] } {
  const texts = (typeof blobs === "object" && blobs !== null ? blobs : {}) as Readonly<Record<string, unknown>>;
  const files: File[] = [];
  const rest: typeof attachments = [];
  for (const one of attachments) {
    const text = Object.hasOwn(texts, one.sha256) ? texts[one.sha256] : undefined;
    if (typeof text === "string") files.push({ name: one.name, mime: one.mime, text });
    else rest.push(one);
  }
  return { rest, files };
}

/** A refusal of the board stays as it is; other errors on the way get the same form. */
export function asRefusal(error: unknown, url: string): ErrorBody {
  if (error instanceof Refusal) return errorBody(error, url);
  if (error instanceof BoardError) {
    const { code, message, hint, docs, details } = error;
    return {
      error: { code: code as ErrorBody["error"]["code"], message, hint, docs, ...(Object.keys(details).length === 0 ? {} : { details }) },
    };
  }
  process.stderr.write(`${(error as Error).message}\n`);
  return errorBody(new Refusal("internal"), url);
}
