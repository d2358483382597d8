// The tool that reads attachments of a message, in parts that fit into a model's context.
import { Refusal } from "../../../core/errors.ts";
import { LIMITS } from "../../../core/protocol/limits.ts";
import { plural } from "../../../core/text/plural.ts";
import type { Attachment } from "../../../core/protocol/payload.ts";
import { chosenAttachment } from "../../../core/view/choose-attachment.ts";
import type { MarkdownRecord } from "../../../core/view/markdown.ts";
import { attachmentText } from "../text.ts";
import { objectOf, type Tool } from "./tool.ts";

/** How many characters are returned unless the caller asks for more. */
const PIECE_CHARS = 8000;

export const attachmentTool: Tool = {
  name: "get_attachment",
  description: `The text of a message's attachment, or a piece of it: max_chars (${PIECE_CHARS}) from offset on.`,
  input: objectOf({ id: "of the message", name: "which, if several", offset: { type: "integer" }, max_chars: { type: "integer" } }, ["id"]),
  async run({ id, name, offset = 0, max_chars: most = PIECE_CHARS }, { ask, marks }) {
    const from = whole("offset", offset, 0);
    const length = whole("max_chars", most, 1);
    const message = (await ask("get_message", { id, include: "" })) as MarkdownRecord;
    const { sha256, mime, name: called } = requireAttachment(message.id, message.meta.attachments ?? [], name);
    const chars = Array.from((await ask("get_blob", { sha256 })) as string);
    requireWithin(from, chars.length);
    const piece = chars.slice(from, from + length);
    const end = from + piece.length;
    const next = end < chars.length ? end : null;
    const body = {
      sha256,
      name: called,
      mime,
      text: piece.join(""),
      offset: from,
      chars: chars.length,
      next_offset: next,
      untrusted: true,
    };
    return { body, text: attachmentText(body, message, marks) };
  },
};

function requireAttachment(id: string, all: readonly Attachment[], name: unknown): Attachment {
  const chosen = chosenAttachment(id, all, typeof name === "string" ? name : undefined);
  if ("found" in chosen) return chosen.found;
  const { wrong, named } = chosen;
  throw new Refusal("blob_unknown", `${wrong}.`, {
    hint: "get_message shows what is attached, with names and hashes.",
    ...(named.length === 0
      ? {}
      : { details: { attachments: named.map(({ name: known, sha256 }) => ({ name: known, sha256, untrusted: true })) } }),
  });
}

function whole(parameter: string, value: unknown, least: number): number {
  const number = Number(value);
  if (Number.isSafeInteger(number) && number >= least) return number;
  throw new Refusal("invalid_parameter", `\`${parameter}\` must be a whole number of ${least} or more.`, {
    hint: `A text has at most ${LIMITS.attachment_bytes} bytes.`,
    details: { parameter },
  });
}

function requireWithin(offset: number, chars: number): void {
  if (offset <= chars) return;
  throw new Refusal("invalid_parameter", `\`offset\` is ${offset}, but the text has ${plural(chars, "character")}.`, {
    hint: "Give the offset after which the piece before said to continue.",
    details: { parameter: "offset" },
  });
}
