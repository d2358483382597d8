// Tiles of the tree for proofs and readers; full tiles never change and are cached in memory.
import { BoundedCache } from "../../core/bounded-cache.ts";
import { sha256 } from "../../core/protocol/node-sha256.ts";
import type { Hash } from "../../core/tlog/merkle.ts";
import { type Plan, readLater, type Remember } from "../../core/tlog/proofs-from-tiles.ts";
import { type Tile, tilePath } from "../../core/tlog/tile.ts";
import type { TreeReads } from "../../ports/store.ts";

/** At most 8 KiB each. */
const MAX_TILES = 512;
/** 32 bytes each, and their keys. */
const MAX_HASHES = 16_384;

export class Tiles {
  readonly #store: TreeReads;
  /** By path; a tile of a given width never changes. */
  readonly #tiles = new BoundedCache<string, Uint8Array>(MAX_TILES);
  readonly #hashes = new BoundedCache<string, Hash>(MAX_HASHES);
  readonly #remember: Remember = (key, make) => this.#hashes.of(key, make);

  constructor(store: TreeReads) {
    this.#store = store;
  }

  /** Undefined if the log is too short. */
  async read(tile: Tile): Promise<Uint8Array | undefined> {
    const path = tilePath(tile);
    const known = this.#tiles.get(path);
    if (known !== undefined) return known;
    const found = await this.#store.tile(tile);
    if (found !== undefined) this.#tiles.set(path, found);
    return found;
  }

  /** A tile by its path, synchronously; undefined if it is not in memory. */
  cached(path: string): Uint8Array | undefined {
    return this.#tiles.get(path);
  }

  /** The result of a plan, for a size that the log has reached. */
  work<Result>(plan: Plan<Result>): Promise<Result> {
    return readLater(plan, (tile) => this.#require(tile), sha256, this.#remember);
  }

  async #require(tile: Tile): Promise<Uint8Array> {
    const found = await this.read(tile);
    if (found === undefined) throw new Error(`${tilePath(tile)} is missing: run blackboard operate check.`);
    return found;
  }
}
