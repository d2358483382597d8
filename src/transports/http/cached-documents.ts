// Documents do not change while the board runs, so each is hashed and compressed once.
import { createHash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Reply } from "../../operations/operation.ts";
import { matchesEtag, matchesAnyEtag } from "./etags.ts";
import { coded, type CachedText, pageOf } from "./cached-pages.ts";

const TAG_CHARS = 22;

export type SendDocument = (request: FastifyRequest, reply: FastifyReply, answer: Reply) => Promise<FastifyReply>;

export function documentSender(): SendDocument {
  /** The key is the text; there are as many entries as the manual has parts. */
  const documents = new Map<string, CachedText>();
  return async (request, reply, { body, json, type }) => {
    const text = String(json ?? body);
    let document = documents.get(text);
    if (document === undefined) documents.set(text, (document = pageOf(tagOf(text), text)));
    const { tag } = document;
    void reply.headers({ etag: tag, vary: "Accept-Encoding", "cache-control": "no-cache" });
    if (matchesEtag(request.headers, tag) || matchesAnyEtag(request.headers)) return reply.code(304).send();
    return reply.type(type ?? "application/json; charset=utf-8").send(await coded(request, reply, document));
  };
}

const tagOf = (text: string): string => `W/"${createHash("sha256").update(text).digest("base64url").slice(0, TAG_CHARS)}"`;
