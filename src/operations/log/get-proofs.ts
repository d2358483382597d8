// GET /api/messages/{id}/proof and /api/changes/{seq}/proof: proofs that an entry is in the log, which can be checked offline.
import { z } from "zod";
import type { LocateMessage } from "../../board/read/message-by-id.ts";
import type { Prove, Receipt } from "../../board/proof/inclusion-proofs.ts";
import { type Operation, READ_REFUSALS, readOperation, type Reply } from "../operation.ts";
import { integer, messageIdToProve } from "../../core/query/forms.ts";

const RESPONSES = { 200: { words: "The proof (C2SP tlog-proof); its `extra` is the whole leaf.", types: ["text/plain"] } } as const;
const REFUSALS = [...READ_REFUSALS, "not_found", "log_rollback", "read_only", "storage_full"] as const;
const answerTo = ({ proof }: Receipt): Reply => ({
  body: proof,
  type: "text/plain; charset=utf-8",
  headers: { "cache-control": "no-cache" },
});

export const proofOperations = (prove: Prove, locate: LocateMessage): readonly Operation[] => [
  readOperation({
    responses: RESPONSES,
    name: "get_message_proof",
    path: "/api/messages/{id}/proof",
    summary: "A proof that the `create` entry of a message is in the log, also for a message that has ended.",
    input: z.strictObject({ id: messageIdToProve }),
    refusals: [...REFUSALS, "ambiguous_id"],
    run: async ({ input }) => answerTo(await prove(await locate(input.id))),
  }),
  readOperation({
    responses: RESPONSES,
    name: "get_change_proof",
    path: "/api/changes/{seq}/proof",
    summary: "A proof that an entry is in the log, as long as the entry is kept.",
    input: z.strictObject({ seq: integer(1, Number.MAX_SAFE_INTEGER).describe("The `seq` of the entry.") }),
    refusals: REFUSALS,
    run: async ({ input }) => answerTo(await prove(input.seq)),
  }),
];
