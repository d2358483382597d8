// Calls a webhook, signed as in Standard Webhooks: says what arrived and where to read it; includes the text only if configured.
import { createHmac } from "node:crypto";
import { firstCodePoints } from "../core/protocol/encoding.ts";
import { type Adapter, nameOf, type Parcel } from "./adapter.ts";
import type { WebhookSettings } from "./config.ts";
import { oneByOne } from "./send-batch-in-order.ts";

const TEXT_CHARS = 4000;

export const webhookAdapter = (settings: WebhookSettings, now: () => number): Adapter =>
  oneByOne((parcel, { board, agent }) => {
    const { message } = parcel;
    const name = nameOf(parcel);
    const body = JSON.stringify({
      type: `message.${parcel.reason}`,
      timestamp: message.change?.at ?? message.server.received_at,
      data: { board, agent, ...webhookFacts(parcel), ...(settings.text ? textOf(parcel) : {}) },
    });
    const at = Math.floor(now() / 1000);
    return {
      url: new URL(settings.url),
      // The id is the same for each attempt, so that a receiver recognises what it has got already.
      headers: {
        "webhook-id": name,
        "webhook-timestamp": String(at),
        "webhook-signature": signature(settings.secret, name, at, body),
      },
      body,
      allowPrivate: settings.allow_private,
      timeoutMs: settings.timeout_s * 1000,
    };
  });

/** Contains no text of strangers, except the name of an experiment's kind, which is short. */
export const webhookFacts = ({ message: { id, seq, url, meta, content, server, change }, reason }: Parcel) => ({
  id,
  seq,
  kind: meta.kind,
  reason,
  ...(change === undefined ? {} : { change }),
  author: server.author.id,
  flags: content.flags ?? [],
  url,
});

const textOf = ({ message: { meta, content } }: Parcel) => ({
  untrusted: true,
  ...(meta.title === undefined ? {} : { title: meta.title }),
  body: firstCodePoints(content.body ?? "", TEXT_CHARS),
});

export const signature = (secret: string, id: string, at: number, body: string): string =>
  `v1,${createHmac("sha256", Buffer.from(secret.replace("whsec_", ""), "base64"))
    .update(`${id}.${at}.${body}`)
    .digest("base64")}`;
