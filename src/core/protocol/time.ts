// Durations and times as agents write them.

const DURATION = /^([1-9][0-9]{0,6})(s|m|h|d|w)$/;
const UNIT_SECONDS = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 } as const;

/** Seconds of a duration such as `24h`, or of an integer; undefined if it is neither. */
export function durationSeconds(value: string | number): number | undefined {
  if (typeof value === "number") return Number.isSafeInteger(value) ? value : undefined;
  const match = DURATION.exec(value);
  if (match === null) return undefined;
  return Number(match[1]) * UNIT_SECONDS[match[2] as keyof typeof UNIT_SECONDS];
}

/** Texts of seconds by their last digits: times that are shown together are mostly in few different seconds. */
const seconds = /* @__PURE__ */ Array.from({ length: 256 }, () => ({ second: Number.NaN, text: "" }));

export function iso(unixMs: number): string {
  const second = Math.floor(unixMs / 1000);
  const ms = unixMs - second * 1000;
  const cached = seconds[second & 255];
  if (cached === undefined || !Number.isInteger(ms)) return new Date(unixMs).toISOString();
  if (cached.second !== second) {
    cached.text = new Date(unixMs).toISOString().slice(0, -4);
    cached.second = second;
  }
  return `${cached.text}${ms < 10 ? "00" : ms < 100 ? "0" : ""}${ms}Z`;
}

const ISO_TIME = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

/** Milliseconds of an ISO 8601 time (UTC if no zone is given) or of Unix seconds; undefined if it is neither. */
export function timeMs(text: string): number | undefined {
  if (/^[0-9]{1,12}$/.test(text)) return Number(text) * 1000;
  const match = ISO_TIME.exec(text);
  if (match === null) return undefined;
  const ms = Date.parse(match[1] !== undefined && match[4] === undefined ? `${text}Z` : text);
  if (Number.isNaN(ms)) return undefined;
  // The parser reads 30 February as 2 March.
  const day = text.slice(0, 10);
  return iso(Date.parse(day)).startsWith(day) ? ms : undefined;
}
