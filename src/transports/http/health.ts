// Tells supervisors, monitors and load balancers whether the board is alive, can answer and can write; also serves its metrics.
import { createHash, timingSafeEqual } from "node:crypto";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { z } from "zod";
import type { RateLimiter } from "../../board/limits/rate.ts";
import { Refusal } from "../../core/errors.ts";
import { admitCall } from "../../operations/call-steps.ts";
import type { readinessBody } from "../../operations/documents/health-endpoints.ts";
import { NO_PARAMETERS } from "../../operations/operation.ts";
import { type GuestParts, guestOf } from "./guest.ts";
import { check } from "./route.ts";

export interface HealthParts {
  readonly rates: RateLimiter;
  /** Throws if requests could not be answered. */
  readonly ready: () => Promise<unknown>;
  /** Whether the replica answers listings, if there is one. Without it, the board's own database answers them. */
  readonly replica?: (() => { readonly up: boolean }) | undefined;
  /** Why nothing can be posted at the moment; undefined if posts are possible. */
  readonly notWritable: () => Refusal | undefined;
  /** The text of /metrics, or undefined if metrics are switched off. */
  readonly metrics: (() => Promise<string>) | undefined;
  /** The token that a caller of /metrics has to send; undefined if everybody may read them. */
  readonly metricsToken?: string | undefined;
}

/** The price of an answer here: that of any read. Probes need a fraction of what an address may read. */
const PRICE = { rate: "reads", input: NO_PARAMETERS, refusals: [] } as const;

export function addHealth(app: FastifyInstance, parts: HealthParts & GuestParts, life: { readonly closing: boolean }): void {
  const { notWritable, replica, metrics, rates } = parts;
  const ready = askedOnce(parts.ready);
  // A board that cannot write can still read, so it stays ready. A caller that asks about writing gets the refusal.
  const readiness = async (): Promise<z.output<typeof readinessBody>> => {
    if (life.closing) throw new Refusal("shutting_down");
    await ready();
    const { code, hint } = notWritable() ?? {};
    const copy = replica === undefined ? {} : { replica: replica().up ? ("ok" as const) : ("lost" as const) };
    return code === undefined ? { status: "ok", writing: "ok", ...copy } : { status: "not_writable", writing: code, hint, ...copy };
  };
  const counted = {
    onRequest: check((request, reply) => void (request.admitted = admitCall(PRICE, guestOf(request, reply, parts), rates))),
  };
  app.get("/readyz", counted, async (_request, reply) => reply.send(await readiness()));
  app.get("/readyz/writing", counted, async (_request, reply) => {
    const said = await readiness();
    const refusal = notWritable();
    if (refusal !== undefined) throw refusal;
    return reply.send(said);
  });
  // Takes no token: nothing is looked up, and a supervisor must not take a board that refuses for one that is dead.
  app.get("/healthz", async (_request, reply) =>
    reply.code(life.closing ? 503 : 200).send({ status: life.closing ? "shutting_down" : "ok" }),
  );
  if (metrics === undefined) return;
  const text = askedOnce(metrics);
  app.get("/metrics", counted, async (request, reply) => {
    requireToken(request, parts.metricsToken);
    return reply.type("text/plain; version=0.0.4; charset=utf-8").send(await request.admitted!.work(text));
  });
}

/**
 * Callers that ask while the question is under way share its answer, so that many probes ask the database once. The first of them pays. If
 * it has no processor time left, the next one asks again.
 */
function askedOnce<Answer>(ask: () => Promise<Answer>): () => Promise<Answer> {
  let asking: Promise<Answer> | undefined;
  const start = (): Promise<Answer> =>
    (asking = ask().finally(() => {
      asking = undefined;
    }));
  const join = (under: Promise<Answer>): Promise<Answer> =>
    under.catch((error: unknown) => {
      if (error instanceof Refusal && error.code === "rate_limited") return answer();
      throw error;
    });
  const answer = (): Promise<Answer> => (asking === undefined ? start() : join(asking));
  return answer;
}

/** Compares digests, so that a good guess takes as long as a bad one. */
function requireToken({ headers }: FastifyRequest, token: string | undefined): void {
  if (token === undefined) return;
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  if (timingSafeEqual(digest(headers.authorization ?? ""), digest(`Bearer ${token}`))) return;
  throw new Refusal("not_found", "The metrics of this board are only for its operator.", {
    hint: "Send `Authorization: Bearer TOKEN` with the token that the board was started with (--metrics-token).",
  });
}
