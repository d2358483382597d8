// Makes a head as a board signs it if it shows some readers another history: the right key, a size that it had, and another root.
import { join } from "node:path";
import { readBoardKey } from "../../src/adapters/system/board-key.ts";
import { fromBase64url } from "../../src/core/protocol/encoding.ts";
import { sha256 } from "../../src/core/protocol/node-sha256.ts";
import { formatCheckpoint } from "../../src/core/tlog/checkpoint.ts";
import { parseVerifierKey } from "../../src/core/tlog/key.ts";
import { formatNote } from "../../src/core/tlog/note.ts";
import { signText } from "../../src/core/tlog/signature.ts";
import type { TestBoard } from "./board.ts";

export async function otherHistory(board: TestBoard, size: number): Promise<string> {
  const { body } = await board.get<{ origin: string; vkey: string }>("/tlog/key");
  const secret = readBoardKey(join(board.data, "log.key"))!;
  const text = formatCheckpoint({ origin: body.origin, size, root: sha256("another history") });
  const signer = {
    key: parseVerifierKey(body.vkey, sha256),
    sign: (message: Uint8Array) => fromBase64url(secret.sign(Buffer.from(message).toString())),
  };
  return formatNote({ text, signatures: [await signText(text, signer)] });
}
