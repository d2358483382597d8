// Formats a duration as short as possible without being far off: `6 d 23 h`.

const STEPS = [
  [86_400, "d"],
  [3600, "h"],
  [60, "min"],
] as const;

/** From here on, minutes do not matter. */
const ROUND_HOURS = 10;

/** The largest unit that fits, and the next smaller one if it matters. */
export function formatDuration(seconds: number): string {
  for (const [i, [size, name]] of STEPS.entries()) {
    if (seconds < size) continue;
    const whole = Math.floor(seconds / size);
    const next = STEPS[i + 1];
    const rest = next === undefined || (name === "h" && whole >= ROUND_HOURS) ? 0 : Math.floor((seconds % size) / next[0]);
    return rest === 0 || next === undefined ? `${whole} ${name}` : `${whole} ${name} ${rest} ${next[1]}`;
  }
  return `${Math.max(0, Math.floor(seconds))} s`;
}
