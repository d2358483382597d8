// The last signed head in a file of its own: written whole, synced and renamed into place.
import { createPublicKey, verify } from "node:crypto";
import { open, readFile, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Checkpoint } from "../../core/log/checkpoint.ts";
import { agentId } from "../../core/protocol/identity.ts";
import type { HeadRecord } from "../../ports/head-record.ts";
import { systemWords } from "./access.ts";

export const HEAD_FILE = "head.json";
const formerFile = (pk: string): string => `head-${agentId(pk)}.json`;

/**
 * In a board's directory, the last head that this key signed; of any key where the board's is not known. A board that was given a new key
 * starts with nothing signed: what the key before it signed stays, in a file of its own name.
 */
export function headFileIn(data: string, pk: string | undefined): HeadRecord {
  const file = headFile(join(data, HEAD_FILE));
  return {
    async read() {
      const head = await file.read();
      return pk === undefined || head === undefined || head.pk === pk ? head : headFile(join(data, formerFile(pk))).read();
    },
    async write(checkpoint) {
      const standing = await file.read();
      // A crash here leaves both under their own names, and nobody has seen the new one.
      if (standing !== undefined && standing.pk !== checkpoint.pk) await keepFormerHead(data, standing);
      return file.write(checkpoint);
    },
  };
}

/** Under the name of whoever signed it. */
export async function keepFormerHead(data: string, checkpoint: Checkpoint): Promise<void> {
  await headFile(join(data, formerFile(checkpoint.pk))).write(checkpoint);
}

/** Whether the key that a checkpoint names has signed what it says. */
export function isSigned({ payload, sig, pk }: Checkpoint): boolean {
  try {
    const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: pk }, format: "jwk" });
    return verify(null, Buffer.from(payload), key, Buffer.from(sig, "base64url"));
  } catch {
    return false;
  }
}

export function headFile(path: string): HeadRecord {
  return {
    async read() {
      try {
        return JSON.parse(await readFile(path, "utf8")) as Checkpoint;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
        const damaged = `The head file ${path} cannot be read: ${(error as Error).message}. Restore it, or move it away if the board is meant to start anew.`;
        throw new Error(systemWords(error, path, "read") ?? damaged, { cause: error });
      }
    },
    async write(checkpoint) {
      const next = `${path}.next`;
      await synced(next, "w", `${JSON.stringify(checkpoint)}\n`);
      // A crash here leaves the old head in place, and nobody has seen the new one.
      await rename(next, path);
      await synced(dirname(path), "r");
      return checkpoint;
    },
  };
}

async function synced(path: string, flags: string, text?: string): Promise<void> {
  const file = await open(path, flags, 0o600);
  try {
    if (text !== undefined) await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}
