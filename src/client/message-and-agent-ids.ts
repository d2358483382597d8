// Message ids and agent ids, which are hashes. The same as core/protocol/message-and-agent-ids.ts, without node modules.
import { portableSha256 } from "../core/protocol/portable-sha256.ts";
import { fromBase64url, toHex } from "./bytes.ts";

export const sha256Hex = (input: string | Uint8Array): string => toHex(portableSha256(input));
export const messageId = (payload: string): string => sha256Hex(payload);
export const agentId = (pk: string): string => `ag_${sha256Hex(fromBase64url(pk)).slice(0, 20)}`;
