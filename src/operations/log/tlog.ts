// GET /tlog/...: the tree over the log in the standard forms C2SP tlog-tiles and tlog-checkpoint, for any client.
import { z } from "zod";
import type { Tiles } from "../../board/proof/tile-cache.ts";
import type { LogKey, TreeHeads } from "../../board/proof/tree-head-signer.ts";
import { Refusal } from "../../core/errors.ts";
import { leafOf } from "../../core/log/tree-edge.ts";
import { encodeBundle } from "../../core/tlog/entry-bundle.ts";
import { type Bundle, bundlePath, parseTilePath, type Tile, tilePath, TILE_WIDTH } from "../../core/tlog/tile.ts";
import { formatVerifierKey } from "../../core/tlog/key.ts";
import { iso } from "../../core/protocol/time.ts";
import { TlogError } from "../../core/tlog/tlog-error.ts";
import type { LogReads } from "../../ports/store.ts";
import { tlogKeyBody } from "../bodies/log.ts";
import { type Operation, READ_REFUSALS, readOperation, readWithoutParameters } from "../operation.ts";

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
/** A tile never changes under its path; entries must not stay in caches much longer than on the board. */
const FOREVER = { "cache-control": "public, max-age=31536000, immutable" };
const A_DAY = { "cache-control": "public, max-age=86400" };
const AN_HOUR = { "cache-control": "public, max-age=3600" };
const A_SECOND = { "cache-control": "public, max-age=1" };

const SIGNED = [...READ_REFUSALS, "log_rollback", "read_only", "storage_full"] as const;
const PLACE = "The index in groups of three digits such as `000` or `x001/234`, followed by `.p/<width>` for a partial tile.";

export const tlogOperations = (parts: TlogParts): readonly Operation[] => [
  checkpoint(parts),
  tile(parts),
  bundle(parts),
  key(parts),
  policy(parts),
];

const checkpoint = ({ heads }: TlogParts) =>
  readOperation({
    name: "get_tlog_checkpoint",
    path: "/tlog/checkpoint",
    summary: "The signed head of the Merkle tree over the log, as a note (C2SP tlog-checkpoint), with cosignatures of witnesses.",
    input: z.strictObject({
      for: z
        .enum(["witness"], "must be witness")
        .optional()
        .describe("`witness`: the head that witnesses should cosign now, the same for ten seconds."),
    }),
    responses: { 200: { words: "The signed note.", types: ["text/plain"] } },
    refusals: SIGNED,
    run: async ({ input }) => ({
      body: (input.for === "witness" ? await heads.forWitness() : await heads.served()).note,
      type: TEXT,
      headers: A_SECOND,
    }),
  });

const tile = ({ tiles }: TlogParts) =>
  readOperation({
    name: "get_tlog_tile",
    path: "/tlog/tile/{tile}",
    rest: true,
    summary: "256 hashes of one level of the tree, or the first of them (C2SP tlog-tiles).",
    input: z.strictObject({ tile: z.string().describe(`\`<level>/<index>\`. ${PLACE}`) }),
    responses: { 200: { words: "The hashes, 32 bytes each.", types: [BYTES] } },
    refusals: ["not_found", "unknown_parameter", "rate_limited"],
    async run({ input }) {
      const asked = tileOf(placeOf(`tile/${input.tile}`));
      const body = asked && (await tiles.read(asked));
      if (body === undefined) throw tooShort("The tree is not that large yet.");
      return { body: bufferOf(body), type: BYTES, headers: FOREVER };
    },
    lasting(input) {
      const asked = tileAt(input.tile);
      if (asked === undefined) return undefined;
      const path = tilePath(asked);
      return () => {
        const cached = tiles.cached(path);
        return cached && { latin1: bufferOf(cached).toString("latin1"), type: BYTES, headers: FOREVER };
      };
    },
  });

const bufferOf = ({ buffer, byteOffset, length }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, length);

const bundle = ({ log }: TlogParts) =>
  readOperation({
    name: "get_tlog_entries",
    path: "/tlog/tile/entries/{bundle}",
    rest: true,
    summary: "The 256 leaves below a tile, or the first of them, each after its length in two bytes (C2SP tlog-tiles).",
    input: z.strictObject({ bundle: z.string().describe(`\`<index>\`. ${PLACE}`) }),
    responses: { 200: { words: "The leaves: the texts that the chain hashes.", types: [BYTES] } },
    refusals: ["not_found", "unknown_parameter", "rate_limited"],
    async run({ input }) {
      const { index, width } = placeOf(`tile/entries/${input.bundle}`);
      const from = index * TILE_WIDTH;
      const oldest = await log.oldestSeq();
      if (from < oldest - 1)
        throw new Refusal("not_found", `Entries are kept from index ${oldest - 1} on.`, {
          details: { minimum_index: oldest - 1 },
          hint: `Ask from /tlog/${oldestBundle(oldest)} on; the hashes of older entries are still served.`,
        });
      const entries = await log.entries(from, width);
      if (entries.length < width) throw tooShort("The log is not that long yet.");
      return { body: Buffer.from(encodeBundle(entries.map(leafOf))), type: BYTES, headers: A_DAY };
    },
  });

const key = ({ heads }: TlogParts) =>
  readWithoutParameters({
    name: "get_tlog_key",
    path: "/tlog/key",
    summary: "The key that signs the heads of the tree, and the board's signed statement about it.",
    responses: { 200: { words: "The key.", body: tlogKeyBody } },
    refusals: ["unknown_parameter", "rate_limited", "read_only"],
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
  readWithoutParameters({
    name: "get_tlog_policy",
    path: "/tlog/policy",
    summary:
      "The keys to trust, as a file for clients that check proofs (C2SP tlog-policy): this log, its witnesses and how many are enough.",
    responses: { 200: { words: "The policy.", types: ["text/plain"] } },
    refusals: ["unknown_parameter", "rate_limited", "read_only"],
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

const tooShort = (message: string): Refusal =>
  new Refusal("not_found", message, {
    hint: "The second line of /tlog/checkpoint is the number of entries; a tile that is not full is asked for as .p/<width>.",
  });

const oldestBundle = (oldest: number): string => bundlePath({ index: Math.ceil((oldest - 1) / TILE_WIDTH), width: TILE_WIDTH });

const tileOf = (place: Tile | Bundle): Tile | undefined => ("level" in place ? place : undefined);

/** Undefined if the path is not that of a tile; the normal path explains that to the caller. */
function tileAt(path: string): Tile | undefined {
  try {
    return tileOf(parseTilePath(`tile/${path}`));
  } catch {
    return undefined;
  }
}

function placeOf(path: string): Tile | Bundle {
  try {
    return parseTilePath(path);
  } catch (error) {
    if (error instanceof TlogError)
      throw new Refusal("not_found", error.message, {
        hint: "The forms are those of https://c2sp.org/tlog-tiles; /llms/log.txt says more.",
      });
    throw error;
  }
}
