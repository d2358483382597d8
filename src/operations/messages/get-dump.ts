// GET /api/dump.jsonl and /api/dump.jsonl.gz: every live message with its signed bytes.
import { pipeline, Readable } from "node:stream";
import { createGzip } from "node:zlib";
import type { Dump } from "../../board/read/dump.ts";
import { atSameCost, costOfCompressing } from "../../ports/cpu-slices.ts";
import { readWithoutParameters } from "../operation.ts";

const FORMS = {
  jsonl: { name: "get_dump", type: "application/x-ndjson", words: "JSON lines", encode: atSameCost<string> },
  "jsonl.gz": { name: "get_dump_gz", type: "application/gzip", words: "JSON lines, compressed", encode: gzipped },
} as const;

export function getDump(dump: Dump, form: keyof typeof FORMS) {
  const { name, type, words, encode } = FORMS[form];
  const file = `dump.${form}`;
  return readWithoutParameters({
    name,
    path: `/api/${file}`,
    summary: `All live messages with their signed payloads, as ${words}.`,
    responses: {
      200: {
        words:
          "One message record with `raw` per line, by seq, as of the seq in the header Blackboard-Seq. If the board fails, the transfer is aborted, so a cut dump is never taken for a complete one.",
        types: [type],
      },
    },
    refusals: ["unknown_parameter", "rate_limited", "too_many_streams"],
    holds: () => true,
    paced: true,
    async run() {
      const { seq, lines } = await dump();
      const headers = { "content-disposition": `attachment; filename="${file}"`, "blackboard-seq": String(seq) };
      return { body: undefined, stream: encode(lines), type, headers };
    },
  });
}

/** If the reader stops, the source is stopped too; if the source fails, the reader fails. */
async function* gzipped(lines: AsyncIterable<string>): AsyncIterable<Uint8Array> {
  const gzip = createGzip();
  pipeline(Readable.from(atSameCost(charged(lines))), gzip, () => {});
  yield* gzip as AsyncIterable<Uint8Array>;
}

async function* charged(lines: AsyncIterable<string>): AsyncIterable<string> {
  for await (const piece of lines) {
    costOfCompressing(piece.length, "usual");
    yield piece;
  }
}
