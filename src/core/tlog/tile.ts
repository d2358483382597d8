// Tiles of C2SP's tlog-tiles: 256 hashes of one level, their position in the tree, and their paths.
import { requireWhole } from "./bytes.ts";
import { malformed } from "./tlog-error.ts";

export const TILE_HEIGHT = 8;
export const TILE_WIDTH = 256;

/** Hashes of one level, from the start of the tile; a tile is full at width 256. */
export interface Tile {
  readonly level: number;
  readonly index: number;
  readonly width: number;
}

/** Entries, from the start of their bundle. */
export type Bundle = Omit<Tile, "level">;

/** The tile with the width that it has in a tree of this size; undefined if the tree does not reach it. */
export function tileIn(size: number, level: number, index: number): Tile | undefined {
  for (const number of [size, level, index]) requireWhole(number, "A size, level or index");
  const width = Math.min(TILE_WIDTH, Math.floor(size / TILE_WIDTH ** level) - index * TILE_WIDTH);
  return width > 0 ? { level, index, width } : undefined;
}

/** Relative to the prefix of the log: `tile/0/x001/234.p/5`. */
export const tilePath = ({ level, ...place }: Tile): string => `tile/${level}/${placePath(place)}`;
/** Relative to the prefix of the log: `tile/entries/x001/234`. */
export const bundlePath = (bundle: Bundle): string => `tile/entries/${placePath(bundle)}`;

function placePath({ index, width }: Bundle): string {
  const groups = [String(index % 1000).padStart(3, "0")];
  for (let rest = Math.floor(index / 1000); rest > 0; rest = Math.floor(rest / 1000))
    groups.unshift(`x${String(rest % 1000).padStart(3, "0")}`);
  return groups.join("/") + (width === TILE_WIDTH ? "" : `.p/${width}`);
}

const LEVEL = "0|[1-9]|[1-5][0-9]|6[0-3]";
const INDEX = "(?:x[0-9]{3}/){0,5}[0-9]{3}";
const WIDTH = "[1-9]|[1-9][0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-5]";
/** Made when it is first needed: a page that reads no tiles does not pay for it. */
const pathPattern = (): RegExp => new RegExp(`^tile/(?:(?<level>${LEVEL})|entries)/(?<index>${INDEX})(?:\\.p/(?<width>${WIDTH}))?$`);

/** Parses a path below the prefix; without a level it names an entry bundle. */
export function parseTilePath(path: string): Tile | Bundle {
  const { level, index = "", width } = pathPattern().exec(path)?.groups ?? {};
  const place = { index: Number(index.replace(/[x/]/g, "")), width: width === undefined ? TILE_WIDTH : Number(width) };
  const found = level === undefined ? place : { level: Number(level), ...place };
  // An index has one spelling: leading groups of zeros and numbers beyond the safe integers are refused.
  if (index === "" || !Number.isSafeInteger(place.index) || ("level" in found ? tilePath(found) : bundlePath(found)) !== path)
    throw malformed(
      "A tile's path is tile/<level>/<index>[.p/<width>] or tile/entries/<index>[.p/<width>], with the index in groups of three digits" +
        " such as x001/234, the level from 0 to 63 and the width of a partial tile from 1 to 255.",
    );
  return found;
}
