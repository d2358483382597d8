// `blackboard attachment`: the text of an attachment, checked against the hash that its author signed.
import type { Command } from "commander";
import type { Message } from "../client/response-types.ts";
import { sha256Hex } from "../client/message-and-agent-ids.ts";
import { getBlob, getMessage } from "../client/read.ts";
import type { Attachment } from "../core/protocol/payload.ts";
import { chosenAttachment } from "../core/view/choose-attachment.ts";
import { visible } from "../core/view/fence.ts";
import { ProofFault } from "./failure.ts";
import { atBoard, inSession } from "./session.ts";
import { oneLine } from "./table.ts";

export function attachmentCommand(program: Command): void {
  const command = program.command("attachment").description("print the text of an attachment, checked against its hash");
  command.argument("<id>", "the message, by its id or a prefix").argument("[name]", "which one, if there are several: its name or hash");
  inSession(atBoard(command), async (session, id: string, name: string | undefined) => {
    const attachment = requireAttachment(await getMessage(session.board, id, { include: [] }), name);
    const text = await getBlob(session.board, attachment.sha256);
    if (sha256Hex(text) !== attachment.sha256) throw new ProofFault(`The text is not the one with the hash ${attachment.sha256}.`);
    // A file or a program gets the text unchanged; for a terminal its control characters are escaped.
    session.print({ ...attachment, text }, () => (process.stdout.isTTY ? visible(text) : text));
  });
}

function requireAttachment({ id, meta }: Message, name: string | undefined): Attachment {
  const chosen = chosenAttachment(id, meta.attachments ?? [], name);
  if ("found" in chosen) return chosen.found;
  const { wrong, named } = chosen;
  const there = named.map((one) => `${oneLine(one.name, 120)} (${one.sha256})`).join(", ");
  throw new Error(named.length === 0 ? `${wrong}.` : `${wrong}: ${there}.`);
}
