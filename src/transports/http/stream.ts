// Replies that are sent piece by piece: only as fast as they are taken, and never cut short in a way that looks whole.
import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Reply } from "../../operations/operation.ts";
import type { Telemetry } from "../../ports/telemetry.ts";

type Pieces = NonNullable<Reply["stream"]>;

/** Answers under way. */
export type OpenAnswers = Set<ServerResponse>;

/** Something was removed that may wait in the buffers of slow readers: they are broken off, and have to ask again. */
export function breakOffSlow(underWay: OpenAnswers): void {
  for (const response of underWay) if (response.writableLength > 0) response.destroy();
}

export interface StreamParts {
  readonly report: Telemetry;
  readonly underWay: OpenAnswers;
  /** Told when it is over, where the caller may only have so many at once. */
  readonly leave?: (() => void) | undefined;
}

export function sendStream(
  { method }: FastifyRequest,
  reply: FastifyReply,
  { status = 200, type = "application/octet-stream", headers = {} }: Reply,
  stream: Pieces,
  { report, underWay, leave = () => {} }: StreamParts,
): FastifyReply {
  void reply.code(status).header("content-type", type).headers(headers);
  reply.raw.once("close", leave);
  // The framework would read a stream to its end only to answer HEAD.
  if (method === "HEAD") return reply.send(Readable.from([]));
  underWay.add(reply.raw);
  reply.raw.once("close", () => underWay.delete(reply.raw));
  return reply.send(Readable.from(reported(stream, report)));
}

/** Where a stream fails after its first piece, the framework breaks the transfer off; the operator should know why. */
async function* reported(stream: Pieces, report: Telemetry): AsyncIterable<string | Uint8Array> {
  try {
    yield* stream;
  } catch (error) {
    report.failed("stream", error);
    throw error;
  }
}
