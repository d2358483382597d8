// A request with many bodies, one per line: how it is recognised, read and answered.
import type { FastifyRequest } from "fastify";
import { Refusal } from "../../core/errors.ts";
import type { AdmittedCall } from "../../operations/call-steps.ts";
import { joinedLists, readInput } from "../../operations/input.ts";
import { answerLines, type BodyLine } from "../../operations/ndjson-calls.ts";
import type { Operation, Reply } from "../../operations/operation.ts";
import type { RequestReport } from "../../ports/telemetry.ts";
import { inSlices } from "../../ports/cpu-slices.ts";
import { readText } from "./body-text.ts";
import { refusalFor } from "./refusals.ts";

export interface ManyParts {
  readonly baseUrl: string;
  readonly report: RequestReport;
}

type TakesMany = Operation & Required<Pick<Operation, "many">>;

/** Returns whether the request has many bodies and the operation takes them. */
export const bringsMany = (operation: Operation, { headers }: Pick<FastifyRequest, "headers">): operation is TakesMany =>
  operation.many !== undefined && /^application\/x-ndjson\s*(;|$)/i.test(headers["content-type"] ?? "");

/** A fault of the address is a fault of all lines. */
export async function answerMany(
  operation: TakesMany,
  request: FastifyRequest,
  call: AdmittedCall,
  { baseUrl, report }: ManyParts,
): Promise<Reply> {
  const asked = { params: {}, query: joinedLists(operation, request.query as Record<string, unknown>) };
  const input = readInput(operation, asked.params, asked.query);
  const lines = await inSlices(readLines(request.body, operation.many.most));
  return answerLines(call, operation.many.begin(input), lines, asked, { baseUrl, refusalOf: (error) => refusalFor(error, report) });
}

/** CR is no line end here, because it is white space in JSON. */
const LINE_END = 0x0a;
const isBlank = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x09 || byte === 0x0d;

/** How many bytes of white space are read before the caller's time is looked at. */
const BYTES_PER_TURN = 4096;

/**
 * The lines of a body that are not empty; each is read by itself. No byte of a multi-byte character is a line end. Empty lines cost no
 * memory, and their time is cut into slices: a request may have a million of them.
 */
function* readLines(body: unknown, most: number): Generator<void, readonly BodyLine[]> {
  const lines: BodyLine[] = [];
  if (!Buffer.isBuffer(body)) return lines;
  for (let at = 0, from = 0; at < body.length;) {
    if (at % BYTES_PER_TURN === 0) yield;
    if (body[at] === LINE_END) from = ++at;
    else if (isBlank(body[at])) at++;
    else {
      const bytes = body.subarray(from, lineEnd(body, at));
      from = at = from + bytes.length + 1;
      if (lines.length === most)
        throw new Refusal("too_large", `The request has more than ${most} lines.`, {
          hint: `Send at most ${most} lines at once; nothing was posted.`,
          details: { most_lines: most },
        });
      lines.push({ bytes: bytes.length, text: () => readText(bytes) });
    }
  }
  return lines;
}

function lineEnd(body: Buffer, from: number): number {
  const end = body.indexOf(LINE_END, from);
  return end === -1 ? body.length : end;
}
