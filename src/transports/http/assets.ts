// GET /assets/{name}: the files of the pages. A file never changes under its name, so browsers fetch it once.
import type { FastifyInstance } from "fastify";
import { Refusal } from "../../core/errors.ts";
import type { LoadAssets } from "../../ports/assets.ts";
import { codingFor } from "./cached-pages.ts";

const YEAR_S = 31_536_000;

export function addAssets(app: FastifyInstance, assets: LoadAssets): void {
  app.get("/assets/:name", async (request, reply) => {
    const { name } = request.params as { name: string };
    const asset = (await assets()).files.get(name);
    if (asset === undefined) throw new Refusal("not_found", "There is no such file.");
    const coding = codingFor(request);
    const bytes = coding === undefined ? undefined : asset.coded[coding];
    if (coding !== undefined && bytes !== undefined) void reply.header("content-encoding", coding);
    return reply
      .header("content-type", asset.type)
      .header("cache-control", `public, max-age=${YEAR_S}, immutable`)
      .header("vary", "Accept-Encoding")
      .send(Buffer.from(bytes ?? asset.bytes));
  });
}
