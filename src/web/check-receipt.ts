// Checks a receipt that the reader pastes, in the reader's browser. After the page is loaded, no server is asked.
import { type Board, getPolicy, type ProvedEntry, TlogError, verifyReceipt } from "../client/client.ts";
import { proofIn, rawIn } from "../client/tlog.ts";
import { thousands } from "../core/text/plural.ts";
import { find, make, onSubmit } from "./dom.ts";

export async function offerReceiptCheck(board: Board): Promise<void> {
  const place = find("[data-check-receipt]");
  if (place === undefined) return;
  const area = (label: string, rows: number, placeholder: string): HTMLTextAreaElement =>
    make("textarea", { rows, spellcheck: false, ariaLabel: label, placeholder });
  const receipt = area("The receipt", 6, "c2sp.org/tlog-proof@v1 … or the answer to a post, which contains it");
  const message = area(
    "The message",
    2,
    'For the receipt of a message: its payload, sig and nonce as JSON, {"payload":…,"sig":…,"nonce":…}',
  );
  const policy = area("Trusted keys", 4, "A policy, as at /tlog/policy");
  const state = make("p", { ariaLive: "polite" });
  const form = make("form", {}, receipt, message, policy, make("button", { type: "submit" }, "Check it here"), state);
  onSubmit(form, async () => (state.textContent = await check(receipt.value, message.value, policy.value)));
  place.append(form);
  policy.value = await getPolicy(board).catch(() => "");
}

async function check(receipt: string, message: string, policy: string): Promise<string> {
  try {
    // A proof ends with exactly one line end, whatever follows in the pasted text.
    const proof = receipt.trimStart().startsWith("{") ? proofIn(receipt) : `${receipt.trim()}\n`;
    return words(await verifyReceipt(proof, policy, message.trim() === "" ? undefined : rawIn(message)), message.trim() !== "");
  } catch (error) {
    if (error instanceof TlogError) return `✗ ${error.message}`;
    return error instanceof SyntaxError
      ? `✗ This is not JSON: ${error.message}`
      : `The receipt could not be checked: ${(error as Error).message}`;
  }
}

function words({ origin, seq, at, type, id, size, witnesses }: ProvedEntry, ofMessage: boolean): string {
  const signed = witnesses.length === 0 ? "" : ` Cosigned by ${witnesses.map((one) => `${one.name} (${one.at})`).join(", ")}.`;
  const content = ofMessage ? " It is for this message, byte for byte." : "";
  return `✓ Valid: entry ${thousands(seq)} of ${origin}, ${type} ${id}, at ${at}, in a log of ${thousands(size)} entries.${content}${signed}`;
}
