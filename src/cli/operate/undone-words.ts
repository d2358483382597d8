// Describes what a restored backup has undone: a preview of what `--reapply` does.
import { plural } from "../../core/text/plural.ts";
import { visible } from "../../core/view/fence.ts";
import type { Switches } from "../../core/message/moderation-state.ts";
import { switchesView } from "./switches.ts";
import type { LostDecision, Undone } from "./undone.ts";

/** Each act as the command that repeats it. */
export function undoneLines({ lost, reversed, switches, reopened, lostReports }: Undone): readonly string[] {
  const act = (...words: readonly string[]): string => `    ${visible(words.map(shellQuoted).join(" "))}`;
  const decision = (one: LostDecision): readonly string[] => {
    const line = `  ${one.order} ${one.target}, ${one.category}, statement ${one.id}`;
    return one.here ? [`${line}:`, act(...orderWords(one))] : [`${line}: it is not in the backup. Remove it if it is posted again.`];
  };
  return [
    ...section("Decisions that are missing in the backup:", lost.flatMap(decision)),
    ...section(
      "Decisions that were reversed after the backup and are in force again:",
      reversed.map((one) => act(one.visibility === "key_blocked" ? "unblock-key" : "restore", one.target)),
    ),
    ...section(
      "Switches that were set after the backup and have their old value again:",
      switchWords(switches).map((words) => act(...words)),
    ),
    ...section(
      "Reports that were closed after the backup are open again. Decide on their targets, or run:",
      reopened.map((id) => act("reports", "dismiss", id)),
    ),
    ...(lostReports === 0 ? [] : [`${plural(lostReports, "report from after the backup is", "reports from after the backup are")} lost.`]),
  ];
}

export const undoneView = (undone: Undone | undefined): object => ({
  lost: undone?.lost ?? [],
  taken_back: undone?.reversed ?? [],
  switches: switchesView(undone?.switches ?? {}),
  reports_reopened: undone?.reopened ?? [],
  reports_lost: undone?.lostReports ?? 0,
  given_out_seq: undone?.givenOut ?? null,
});

/** Warns that readers know the lost entries by seqs that other entries may get now. */
export function givenOutLines(last: number | undefined, seq: number, goesOn: boolean): readonly string[] {
  if (last === undefined || last <= seq) return [];
  const [which, they] = last === seq + 1 ? [`Entry ${last} was`, "its number"] : [`Entries ${seq + 1} to ${last} were`, "their numbers"];
  const renumbered = `New entries will get ${they}: readers beyond entry ${seq} must read again from there.`;
  return [
    `${which} published and ${last === seq + 1 ? "is" : "are"} not in the backup.${goesOn ? ` ${renumbered} See docs/operate.md.` : ""}`,
  ];
}

const section = (heading: string, lines: readonly string[]): readonly string[] => (lines.length === 0 ? [] : [heading, ...lines]);

function orderWords({ order, target, category, ground, facts, keepAttachments }: LostDecision): readonly string[] {
  const words = [order, target, "--category", category, "--ground", ground, "--facts", facts];
  return keepAttachments ? [...words, "--keep-attachments"] : words;
}

function switchWords({ readOnly, powBits, powMaxBits, powAtOnce = false }: Partial<Switches>): readonly (readonly string[])[] {
  const more = [...(powMaxBits == null ? [] : ["--max", String(powMaxBits)]), ...(powAtOnce ? ["--now"] : [])];
  return [
    ...(readOnly === undefined ? [] : [["read-only", readOnly ? "on" : "off"]]),
    ...(powBits === undefined ? [] : [["set-pow", powBits === null ? "default" : String(powBits), ...more]]),
  ];
}

/** Quoted for a shell. */
export const shellQuoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`);
