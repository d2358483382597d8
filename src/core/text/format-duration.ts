// Formats a duration as short as possible without being far off: `6 d 23 h`.

const STEPS = [
  [86_400, "d"],
  [3600, "h"],
  [60, "min"],
] as const;

/** The largest unit that fits, and the next smaller one if it matters. */
export function formatDuration(seconds: number): string {
  for (const [i, [size, name]] of STEPS.entries()) {
    if (seconds < size) continue;
    const whole = Math.floor(seconds / size);
    const next = STEPS[i + 1];
    const rest = next === undefined || (whole > 2 && name !== "d") ? 0 : Math.floor((seconds % size) / next[0]);
    return rest === 0 || next === undefined ? `${whole} ${name}` : `${whole} ${name} ${rest} ${next[1]}`;
  }
  return `${Math.max(0, Math.floor(seconds))} s`;
}
