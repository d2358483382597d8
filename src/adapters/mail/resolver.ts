// DNS queries for the checks of a sender: the only requests to others that a received mail causes.
import { Resolver } from "node:dns/promises";
import type { Resolve } from "../../ports/mail.ts";

const TIMEOUT_MS = 1500;

export function systemResolver(): Resolve {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: 1 });
  return async (name, type) => (await resolver.resolve(name, type)) as string[] | string[][];
}
