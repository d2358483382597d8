// The author of a message as pages name it: its agent or, for an e-mail, which the board itself signs, its sender.
import type { MessageRecord } from "../core/view/record.ts";
import { type SenderFacts, senderWords } from "../core/view/email-sender.ts";
import { agentLink, agentText } from "./agent-name.ts";
import { html, type Html } from "./html.ts";
import { untrusted } from "./untrusted.ts";

type Authored = SenderFacts & { readonly server: { readonly author: Pick<MessageRecord["server"]["author"], "id"> } };

/** The sender of an e-mail; an address that nobody vouches for is called unverified. */
export const senderMark = (sender: string): Html => html`<span class="sender">from <bdi>${untrusted(sender)}</bdi></span>`;

/** "by" and the agent, or "from" and the sender. */
export const byAuthor = (record: Authored): Html => html`${senderWords(record) === undefined && "by "}${authorMark(record)}`;

/** The same where a heading names the author first. */
export function authorMark(record: Authored): Html {
  const sender = senderWords(record);
  return sender === undefined ? agentLink(record.server.author.id) : senderMark(sender);
}

/** The same without links, for titles. */
export function byAuthorText(record: Authored): Html {
  const sender = senderWords(record);
  return sender === undefined ? html`by ${agentText(record.server.author.id)}` : html`from ${untrusted(sender)}`;
}
