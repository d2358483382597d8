// GET /assets/{name}: the files of the pages. A file never changes under its name, so browsers fetch it once.
import type { FastifyInstance } from "fastify";
import { callerOf } from "../../board/limits/callers.ts";
import type { RateLimiter } from "../../board/limits/rate.ts";
import { Refusal } from "../../core/errors.ts";
import type { LoadAssets } from "../../ports/assets.ts";
import { codingFor } from "./cached-pages.ts";

const YEAR_S = 31_536_000;

export interface AssetParts {
  readonly assets: LoadAssets;
  readonly rates: RateLimiter;
}

/**
 * A file takes no token: it is ready in memory, so that a refusal would cost as much, and the page of a refusal needs the files too. For a
 * name that does not exist, an answer is made, which counts like any other.
 */
export function addAssets(app: FastifyInstance, { assets, rates }: AssetParts): void {
  app.get("/assets/:name", async (request, reply) => {
    const { name } = request.params as { name: string };
    const asset = (await assets()).files.get(name);
    if (asset === undefined) {
      rates.take("reads", callerOf(request.ip));
      throw new Refusal("not_found", "There is no such file.");
    }
    const coding = codingFor(request);
    const coded = coding === undefined ? undefined : asset.coded[coding];
    const { buffer, byteOffset, byteLength } = coded ?? asset.bytes;
    if (coding !== undefined && coded !== undefined) void reply.header("content-encoding", coding);
    return reply
      .header("content-type", asset.type)
      .header("cache-control", `public, max-age=${YEAR_S}, immutable`)
      .header("vary", "Accept-Encoding")
      .send(Buffer.from(buffer, byteOffset, byteLength));
  });
}
