// GET /api/checkpoint: the signed head of the log.
import type { CheckpointSigner } from "../../board/operator/log-checkpoint-signer.ts";
import { checkpointBody } from "../bodies/log.ts";
import { readWithoutParameters } from "../operation.ts";

export const getCheckpoint = (checkpointSigner: CheckpointSigner) =>
  readWithoutParameters({
    name: "get_checkpoint",
    path: "/api/checkpoint",
    summary: "The board-signed head of the hash chain.",
    responses: { 200: { words: "The checkpoint.", body: checkpointBody } },
    refusals: ["unknown_parameter", "rate_limited", "storage_full", "storage_unavailable", "log_rollback", "read_only"],
    async run() {
      const checkpoint = await checkpointSigner.checkpoint();
      const { changes } = await checkpointSigner.keys();
      return { body: changes.length === 0 ? checkpoint : { ...checkpoint, keys: changes } };
    },
  });
