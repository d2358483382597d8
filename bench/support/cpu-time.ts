// The share of the machine that went to processes outside of the bench. If it is large, only ratios mean anything.
import { existsSync, readdirSync, readFileSync } from "node:fs";

const TICK_MS = 10;

export interface MachineTime {
  readonly all: number;
  readonly idle: number;
  readonly ours: number;
}

/** CPU milliseconds so far: of all cores, idle, and of these processes with their children; undefined if there is no /proc. */
export function machineTime(pids: readonly (number | undefined)[]): MachineTime | undefined {
  if (!existsSync("/proc/stat")) return undefined;
  const [cores = ""] = readFileSync("/proc/stat", "utf8").split("\n");
  const fields = cores.trim().split(/\s+/).slice(1, 9).map(Number);
  const all = fields.reduce((sum, ticks) => sum + ticks, 0) * TICK_MS;
  const idle = ((fields[3] ?? 0) + (fields[4] ?? 0)) * TICK_MS;
  return { all, idle, ours: pids.reduce<number>((sum, pid) => sum + familyMs(pid), 0) };
}

export function othersShare(before: MachineTime | undefined, after: MachineTime | undefined): number | undefined {
  if (before === undefined || after === undefined) return undefined;
  const all = after.all - before.all;
  return Math.max(0, (all - (after.idle - before.idle) - (after.ours - before.ours)) / all);
}

/** CPU time of a process, its children and its former children; 0 if it is undefined or has ended. */
export function familyMs(pid: number | undefined): number {
  if (pid === undefined || !existsSync("/proc/stat")) return 0;
  const children = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && statOf(name)[1] === String(pid));
  const [own = 0, ownSystem = 0, past = 0, pastSystem = 0] = statOf(pid).slice(11, 15).map(Number);
  const living = children.flatMap((child) => statOf(child).slice(11, 13).map(Number));
  return [own, ownSystem, past, pastSystem, ...living].reduce((sum, ticks) => sum + ticks, 0) * TICK_MS;
}

/** The fields after the name (which may contain spaces): state, parent and so on; empty if the process has ended. */
function statOf(pid: number | string): readonly string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return [];
  }
}

/** Milliseconds of CPU per thread name since the start of a process; empty if there is no /proc. */
export function threadMs(pid: number | undefined): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  const tasks = `/proc/${pid}/task`;
  if (!existsSync(tasks)) return times;
  for (const task of readdirSync(tasks)) {
    const stat = readFileSync(`${tasks}/${task}/stat`, "utf8");
    const name = stat.slice(stat.indexOf("(") + 1, stat.lastIndexOf(")"));
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const thread = Number(task) === pid ? "main" : name;
    times.set(thread, (times.get(thread) ?? 0) + (Number(fields[11]) + Number(fields[12])) * TICK_MS);
  }
  return times;
}
