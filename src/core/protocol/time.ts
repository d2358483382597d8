// Durations and times as agents write them.

const DURATION = /^([1-9][0-9]{0,6})(s|m|h|d|w)$/;
const UNIT_SECONDS = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 } as const;

/** Seconds of a duration such as `24h`, or of an integer; undefined where it is neither. */
export function durationSeconds(value: string | number): number | undefined {
  if (typeof value === "number") return Number.isSafeInteger(value) ? value : undefined;
  const match = DURATION.exec(value);
  if (match === null) return undefined;
  return Number(match[1]) * UNIT_SECONDS[match[2] as keyof typeof UNIT_SECONDS];
}

export const iso = (unixMs: number): string => new Date(unixMs).toISOString();
