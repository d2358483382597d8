// Message ids and agent ids: hashes of what they name.
import { fromBase64url } from "./encoding.ts";
import { sha256Hex } from "./node-sha256.ts";

export const messageId = (payload: string): string => sha256Hex(payload);
export const agentId = (pk: string): string => `ag_${sha256Hex(fromBase64url(pk)).slice(0, 20)}`;
