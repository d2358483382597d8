// GET /tlog/...: the tree over the log as C2SP's tlog-tiles and tlog-checkpoint have it, for clients that nobody here wrote.
import { z } from "zod";
import type { Tiles } from "../../board/proof/tiles.ts";
import type { LogKey, TreeHeads } from "../../board/proof/tree-heads.ts";
import { Refusal } from "../../core/errors.ts";
import { leafOf } from "../../core/log/tree-edge.ts";
import { encodeBundle } from "../../core/tlog/entry-bundle.ts";
import { type Bundle, parseTilePath, type Tile, TILE_WIDTH } from "../../core/tlog/tile.ts";
import { formatVerifierKey } from "../../core/tlog/key.ts";
import { iso } from "../../core/protocol/time.ts";
import { TlogError } from "../../core/tlog/tlog-error.ts";
import type { LogReads } from "../../ports/store.ts";
import { tlogKeyBody } from "../bodies/log.ts";
import { operation, type Operation } from "../operation.ts";

export interface TlogParts {
  readonly heads: TreeHeads;
  readonly tiles: Tiles;
  readonly log: Pick<LogReads, "entries" | "head" | "oldestSeq">;
  readonly baseUrl: string;
  /** The lines of the policy that are not about this log: witnesses, groups and the quorum. */
  readonly witnessLines: string;
}

const TEXT = "text/plain; charset=utf-8";
const BYTES = "application/octet-stream";
/** What a path names never changes; entries are not to stay in caches for much longer than here. */
const FOREVER = { "cache-control": "public, max-age=31536000, immutable" };
const A_DAY = { "cache-control": "public, max-age=86400" };
const AN_HOUR = { "cache-control": "public, max-age=3600" };
const A_SECOND = { "cache-control": "public, max-age=1" };

const SIGNED = ["unknown_parameter", "invalid_parameter", "rate_limited", "log_rollback", "read_only", "storage_full"] as const;
const PLACE =
  "The index in groups of three digits such as `000` or `x001/234`, and `.p/<width>` after it where less than all of it is wanted.";

export const tlogOperations = (parts: TlogParts): readonly Operation[] => [
  checkpoint(parts),
  tile(parts),
  bundle(parts),
  key(parts),
  policy(parts),
];

const checkpoint = ({ heads }: TlogParts) =>
  operation({
    name: "get_tlog_checkpoint",
    method: "GET",
    path: "/tlog/checkpoint",
    summary: "The signed head of the Merkle tree over the log, as a note (C2SP tlog-checkpoint), with cosignatures of witnesses.",
    input: z.strictObject({
      for: z
        .enum(["witness"], "must be witness")
        .optional()
        .describe("`witness`: the one that witnesses are to cosign now, the same for ten seconds."),
    }),
    responses: { 200: { words: "The signed note.", types: ["text/plain"] } },
    refusals: SIGNED,
    rate: "reads",
    run: async ({ input }) => ({
      body: (input.for === "witness" ? await heads.forWitness() : await heads.served()).note,
      type: TEXT,
      headers: A_SECOND,
    }),
  });

const tile = ({ tiles }: TlogParts) =>
  operation({
    name: "get_tlog_tile",
    method: "GET",
    path: "/tlog/tile/{tile}",
    rest: true,
    summary: "256 hashes of one level of the tree, or the first of them (C2SP tlog-tiles).",
    input: z.strictObject({ tile: z.string().describe(`\`<level>/<index>\`. ${PLACE}`) }),
    responses: { 200: { words: "The hashes, 32 bytes each.", types: [BYTES] } },
    refusals: ["not_found", "unknown_parameter", "rate_limited"],
    rate: "reads",
    async run({ input }) {
      const asked = placeOf(`tile/${input.tile}`);
      const body = "level" in asked ? await tiles.read(asked) : undefined;
      if (body === undefined) throw new Refusal("not_found", "The tree does not reach so far.");
      return { body: Buffer.from(body.buffer, body.byteOffset, body.length), type: BYTES, headers: FOREVER };
    },
  });

const bundle = ({ log }: TlogParts) =>
  operation({
    name: "get_tlog_entries",
    method: "GET",
    path: "/tlog/tile/entries/{bundle}",
    rest: true,
    summary: "The 256 leaves below a tile, or the first of them, each after its length in two bytes (C2SP tlog-tiles).",
    input: z.strictObject({ bundle: z.string().describe(`\`<index>\`. ${PLACE}`) }),
    responses: { 200: { words: "The leaves: the texts that the chain's hashes are of.", types: [BYTES] } },
    refusals: ["not_found", "unknown_parameter", "rate_limited"],
    rate: "reads",
    async run({ input }) {
      const { index, width } = placeOf(`tile/entries/${input.bundle}`);
      const from = index * TILE_WIDTH;
      const oldest = await log.oldestSeq();
      if (from < oldest - 1)
        throw new Refusal("not_found", `Entries are kept from index ${oldest - 1} on.`, { details: { minimum_index: oldest - 1 } });
      const entries = await log.entries(from, width);
      if (entries.length < width) throw new Refusal("not_found", "The log does not reach so far.");
      return { body: Buffer.from(encodeBundle(entries.map(leafOf))), type: BYTES, headers: A_DAY };
    },
  });

const key = ({ heads }: TlogParts) =>
  operation({
    name: "get_tlog_key",
    method: "GET",
    path: "/tlog/key",
    summary: "The key that signs the heads of the tree, and the board's signed word for it.",
    input: z.strictObject({}),
    responses: { 200: { words: "The key.", body: tlogKeyBody } },
    refusals: ["unknown_parameter", "rate_limited", "read_only"],
    rate: "reads",
    async run() {
      const { current, next, changes } = await heads.keys();
      const body = {
        origin: current.name.origin,
        ...shown(current),
        ...(next && { next: { ...shown(next), from: iso(next.name.epoch * 1000) } }),
        ...(changes.length === 0 ? {} : { keys: changes }),
      };
      return { body, headers: AN_HOUR };
    },
  });

const policy = ({ heads, witnessLines, baseUrl }: TlogParts) =>
  operation({
    name: "get_tlog_policy",
    method: "GET",
    path: "/tlog/policy",
    summary:
      "Whom to believe, as a file for clients that check proofs (C2SP tlog-policy): this log, its witnesses and how many are enough.",
    input: z.strictObject({}),
    responses: { 200: { words: "The policy.", types: ["text/plain"] } },
    refusals: ["unknown_parameter", "rate_limited", "read_only"],
    rate: "reads",
    async run() {
      const { current, next } = await heads.keys();
      const lines = [current, ...(next === undefined ? [] : [next])].map((one) => `log ${shown(one).vkey} ${baseUrl}/tlog\n`);
      return { body: `${lines.join("")}${witnessLines}`, type: TEXT, headers: AN_HOUR };
    },
  });

const shown = ({ verifier, name: { statement, sig, board } }: LogKey) => ({
  vkey: formatVerifierKey(verifier),
  statement,
  sig,
  pk: board,
});

function placeOf(path: string): Tile | Bundle {
  try {
    return parseTilePath(path);
  } catch (error) {
    if (error instanceof TlogError) throw new Refusal("not_found", error.message);
    throw error;
  }
}
