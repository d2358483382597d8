// Answers that are sent in chunks: only as fast as they are read, and never cut short in a way that looks complete.
import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Reply } from "../../operations/operation.ts";
import type { Telemetry } from "../../ports/telemetry.ts";

type BodyStream = NonNullable<Reply["stream"]>;

/** Answers that are being sent. */
export type OpenAnswers = Set<ServerResponse>;

/** A removed message may be in the buffers of slow readers. Their answers are aborted, and they have to ask again. */
export function breakOffSlow(underWay: OpenAnswers): void {
  for (const response of underWay) if (response.writableLength > 0) response.destroy();
}

export interface StreamParts {
  readonly report: Telemetry;
  readonly underWay: OpenAnswers;
  /** Called when the answer ends, if the caller's number of such answers is limited. */
  readonly leave?: (() => void) | undefined;
}

export function sendStream(
  { method }: FastifyRequest,
  reply: FastifyReply,
  { status = 200, type = "application/octet-stream", headers = {} }: Reply,
  stream: BodyStream,
  { report, underWay, leave = () => {} }: StreamParts,
): FastifyReply {
  void reply.code(status).header("content-type", type).headers(headers);
  reply.raw.once("close", leave);
  // For HEAD, the framework would read the whole stream only to drop it.
  if (method === "HEAD") return reply.send(Readable.from([]));
  underWay.add(reply.raw);
  reply.raw.once("close", () => underWay.delete(reply.raw));
  return reply.send(Readable.from(reported(stream, report)));
}

/** If a stream fails after its first chunk, the framework aborts the transfer. The log tells the operator why. */
async function* reported(stream: BodyStream, report: Telemetry): AsyncIterable<string | Uint8Array> {
  try {
    yield* stream;
  } catch (error) {
    report.failed("stream", error);
    throw error;
  }
}
