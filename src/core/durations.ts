// Durations in milliseconds.

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** The minute of a time, counted from 1970. */
export const minuteOf = (unixMs: number): number => Math.floor(unixMs / MINUTE_MS);
