// GET /healthz and /readyz as documents describe them; transports/http/health.ts implements them.
import { z } from "zod";
import { type Described, NO_PARAMETERS } from "../operation.ts";

const healthBody = z.strictObject({ status: z.enum(["ok", "shutting_down"]) }).meta({ id: "Health" });
export const readinessBody = z
  .strictObject({
    status: z.enum(["ok", "not_writable"]),
    writing: z.string().describe("`ok`, or the error code with which posts are refused at the moment."),
    hint: z.string().optional(),
    replica: z.enum(["ok", "lost"]).optional().describe("Only if listings are read from a replica."),
  })
  .meta({ id: "Readiness" });

const endpoint = (name: string, path: string, summary: string, rest: Pick<Described, "responses" | "refusals">): Described => ({
  name,
  method: "GET",
  path,
  summary,
  input: NO_PARAMETERS,
  rate: "reads",
  ...rest,
});

export const healthEndpoints: readonly Described[] = [
  endpoint("get_health", "/healthz", "Whether the board is alive.", {
    responses: {
      200: { words: "It is.", body: healthBody },
      503: { words: "It is shutting down.", body: healthBody },
    },
    refusals: [],
  }),
  endpoint("get_readiness", "/readyz", "Whether the board can answer, and whether anything can be posted.", {
    responses: { 200: { words: "It answers.", body: readinessBody } },
    refusals: ["rate_limited", "shutting_down", "storage_unavailable"],
  }),
];
