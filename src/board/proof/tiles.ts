// Tiles of the tree as proofs and readers need them: those that never change are kept in memory.
import { BoundedCache } from "../../core/bounded-cache.ts";
import { sha256 } from "../../core/protocol/sha256.ts";
import type { Hash } from "../../core/tlog/merkle.ts";
import { type Plan, readLater, type Remember } from "../../core/tlog/plan.ts";
import { type Tile, tilePath } from "../../core/tlog/tile.ts";
import type { TreeReads } from "../../ports/store.ts";

/** 8 KiB each at most. */
const TILES_KEPT = 512;
/** 32 bytes each, and their names. */
const HASHES_KEPT = 16_384;

export class Tiles {
  readonly #store: TreeReads;
  /** By path; a tile of some width holds the same for ever. */
  readonly #tiles = new BoundedCache<string, Uint8Array>(TILES_KEPT);
  readonly #hashes = new BoundedCache<string, Hash>(HASHES_KEPT);
  readonly #remember: Remember = (key, make) => this.#hashes.of(key, make);

  constructor(store: TreeReads) {
    this.#store = store;
  }

  /** Undefined where the log does not reach so far. */
  async read(tile: Tile): Promise<Uint8Array | undefined> {
    const path = tilePath(tile);
    const known = this.#tiles.get(path);
    if (known !== undefined) return known;
    const found = await this.#store.tile(tile);
    if (found !== undefined) this.#tiles.set(path, found);
    return found;
  }

  /** What a plan comes to, of a size that the log has reached. */
  work<Result>(plan: Plan<Result>): Promise<Result> {
    return readLater(plan, (tile) => this.#require(tile), sha256, this.#remember);
  }

  async #require(tile: Tile): Promise<Uint8Array> {
    const found = await this.read(tile);
    if (found === undefined) throw new Error(`${tilePath(tile)} is missing: run blackboard operate check.`);
    return found;
  }
}
