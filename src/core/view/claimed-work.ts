// The record of work after a claim, computed without another read.
import { durationSeconds, iso, timeMs } from "../protocol/time.ts";

/** `fields` of a list: all of a record, with text and data. */
export const WHOLE = "seq,url,server,meta,content,content.body,content.data,derived,match";

const USUAL_LEASE = "4h";

export interface Claimed {
  readonly id: string;
  readonly meta: { readonly lease?: string | number | undefined };
  readonly server: { readonly received_at: string; readonly expires_at?: string | undefined; readonly author: { readonly id: string } };
}

/** Applies a claim to the record of its work. If the claim ends before the lease, the lease ends with it. */
export function heldBy(agent: string, { meta, server }: Claimed): { status: "claimed"; claimed_by: string; lease_until: string } {
  const ms = (timeMs(server.received_at) ?? 0) + (durationSeconds(meta.lease ?? USUAL_LEASE) ?? 0) * 1000;
  const until = Math.min(ms, timeMs(server.expires_at ?? "") ?? Infinity);
  return { status: "claimed", claimed_by: agent, lease_until: iso(until) };
}
