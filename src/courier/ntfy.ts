// Notifies people through an ntfy topic: that a message arrived, and where to read it.
import { firstCodePoints } from "../core/protocol/encoding.ts";
import { displayTitle } from "../core/view/record.ts";
import { visible } from "../core/view/fence.ts";
import { isOwnKind } from "../core/protocol/vocabulary.ts";
import type { Payload } from "../core/protocol/payload.ts";
import type { Adapter, Parcel } from "./adapter.ts";
import type { NtfySettings } from "./config.ts";
import { oneByOne } from "./send-batch-in-order.ts";

const TEXT_CHARS = 500;

export const ntfyAdapter = (settings: NtfySettings): Adapter =>
  oneByOne((parcel, { agent }) => ({
    url: new URL(settings.server),
    headers: settings.token === undefined ? {} : { authorization: `Bearer ${settings.token}` },
    body: JSON.stringify({ topic: settings.topic, click: parcel.message.url, ...wordsOf(parcel, agent, settings.text) }),
    allowPrivate: settings.allow_private,
    timeoutMs: settings.timeout_s * 1000,
  }));

function wordsOf({ message: { meta, content, server }, reason }: Parcel, agent: string, withText: boolean) {
  const kind = isOwnKind(meta.kind) ? meta.kind : "experiment";
  const flags = content.flags ?? [];
  const facts = [`${reason} for ${agent}, by ${server.author.id}`, ...(flags.length === 0 ? [] : [`flags: ${flags.join(", ")}`])].join(
    "\n",
  );
  if (!withText) return { title: `${kind} on the board`, message: facts };
  const title = displayTitle({ ...meta, body: content.body } as unknown as Payload, server.author.id);
  return { title: visible(`${kind}: ${title}`), message: visible(`${facts}\n${firstCodePoints(content.body ?? "", TEXT_CHARS)}`) };
}
