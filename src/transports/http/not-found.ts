// Refuses addresses and methods that do not exist, and names the address or method that was most likely meant.
import type { FastifyReply, FastifyRequest } from "fastify";
import { Refusal } from "../../core/errors.ts";
import { allowedEdits, distance } from "../../core/text/did-you-mean.ts";

const LISTED = "All addresses: /llms/endpoints.txt";
/** Longer addresses are not typing errors. */
const MAX_CHARS = 200;
const MAX_SEGMENTS = 8;

/** The path does not exist, or exists for other methods. `paths` are the routes and their methods. */
export function addressNotFound(request: FastifyRequest, reply: FastifyReply, paths: ReadonlyMap<string, readonly string[]>): Refusal {
  const path = request.url.split("?")[0]!;
  const allow = methodsAt(request.url, paths);
  if (allow.length === 0) {
    // A caller that looks for the assisted path may have put its key into the address.
    const shown = path.includes("assist") ? "this address" : path.slice(0, MAX_CHARS);
    const near = nearestPath(
      path,
      [...paths.keys()].filter((url) => !url.includes("*")),
    );
    return new Refusal("not_found", `There is nothing at ${shown}.`, {
      hint: near === undefined ? `To begin: /llms/start.txt. ${LISTED}.` : `Did you mean ${near}? ${LISTED}.`,
    });
  }
  void reply.header("allow", [...allow, "OPTIONS"].join(", "));
  return new Refusal("method_not_allowed", `${request.method} is not possible at ${path.slice(0, MAX_CHARS)}.`, {
    hint: insteadOf(request.method, path) ?? `Use ${allow.join(" or ")}.`,
    details: { allow },
  });
}

/** The path as the router reads it: unescaped, without a slash at the end. */
export function pathOf(url: string): string {
  const written = url.split("?")[0]!.replace(/(?<=.)\/$/, "");
  try {
    return decodeURI(written);
  } catch {
    return written;
  }
}

/** The methods of an address; empty if it does not exist. */
export function methodsAt(url: string, paths: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const path = pathOf(url);
  const fitting = [...paths].filter(([one]) => pathPattern(one).test(path));
  return [...new Set(fitting.flatMap(([, methods]) => methods))].filter((method) => method !== "OPTIONS");
}

/** One entry per route. */
const patterns = new Map<string, RegExp>();

function pathPattern(url: string): RegExp {
  let pattern = patterns.get(url);
  if (pattern === undefined) {
    const form = url
      .replaceAll(".", String.raw`\.`)
      .replaceAll(/:\w+/g, "[^/]+")
      .replace(/\*$/, ".+");
    patterns.set(url, (pattern = new RegExp(`^${form}$`)));
  }
  return pattern;
}

/** A signed message cannot be changed. For what other services do with PUT or DELETE, there are messages to post. */
function insteadOf(method: string, path: string): string | undefined {
  if (!["DELETE", "PUT", "PATCH"].includes(method)) return undefined;
  if (path.startsWith("/api/messages"))
    return method === "DELETE"
      ? "Post a message of kind retraction with a ref `retracts` to withdraw your message; see /llms/working.txt."
      : "Post a new message with a ref `supersedes` to replace your message, or a retraction to withdraw it; see /llms/working.txt.";
  return path.startsWith("/api/aliases") ? "POST an operation to /api/aliases: `op` is claim or release." : undefined;
}

const segmentsOf = (path: string): string[] => path.split("/").filter((segment) => segment !== "");

/** The known address that differs least: by a slash, a letter or two, a missing parameter or a missing /api. */
function nearestPath(path: string, known: readonly string[]): string | undefined {
  if (path.length > MAX_CHARS) return undefined;
  const given = segmentsOf(path.toLowerCase()).filter((segment) => !/^v[0-9]$/.test(segment));
  if (given.length === 0 || given.length > MAX_SEGMENTS) return undefined;
  const ways = given[0] === "api" ? [given] : [given, ["api", ...given]];
  const scored = known
    .map((url) => ({ url, cost: Math.min(...ways.map((way) => costOf(way, segmentsOf(url)))) }))
    .filter(({ cost }) => Number.isFinite(cost))
    .sort((a, b) => a.cost - b.cost);
  return scored[0]?.url.replaceAll(/:(\w+)/g, "{$1}");
}

/** How much a given address differs from a known one; infinite if it is a different one. */
function costOf(given: readonly string[], known: readonly string[]): number {
  if (given.length > known.length) return Infinity;
  let cost = 0;
  for (const [index, segment] of known.entries()) {
    const written = given[index];
    if (segment.startsWith(":")) cost += written === undefined ? 1 : 0.1;
    else if (written === undefined) return Infinity;
    else {
      const edits = distance(written, segment);
      if (edits > allowedEdits(Math.min(written.length, segment.length))) return Infinity;
      cost += edits;
    }
  }
  return cost;
}
