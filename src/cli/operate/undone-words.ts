// What a restored backup has undone, in words and in commands that do it again.
import { counted } from "../../core/view/counted.ts";
import { visible } from "../../core/view/markdown.ts";
import type { Switches } from "../../core/message/moderation.ts";
import type { LostDecision, Undone } from "./undone.ts";

/** `place` is where the commands find the board: flags and their values. */
export function undoneLines({ lost, reversed, switches, reopened, lostReports }: Undone, place: readonly string[]): readonly string[] {
  const command = (...words: readonly string[]): string =>
    `    ${visible(["blackboard", "operate", ...words, ...place].map(quoted).join(" "))}`;
  const again = (one: LostDecision): readonly string[] => {
    const line = `  ${one.order} ${one.target}, ${one.category}, statement ${one.id}`;
    return one.here
      ? [`${line}:`, command(...orderWords(one))]
      : [`${line}: the backup does not hold it. Remove it if it is posted again.`];
  };
  return [
    ...section("Decisions that the backup does not know; take them again:", lost.flatMap(again)),
    ...section(
      "Decisions taken back after the backup, and in force again; take them back again:",
      reversed.map((one) => command(one.visibility === "key_blocked" ? "unblock-key" : "restore", one.target)),
    ),
    ...section(
      "Switches set after the backup, and as they were before; set them again:",
      switchWords(switches).map((words) => command(...words)),
    ),
    ...section(
      "Reports closed after the backup, and open again; to take a decision on what they are about closes them, or:",
      reopened.map((id) => command("reports", "dismiss", id)),
    ),
    ...(lostReports === 0 ? [] : [`${counted(lostReports, "report")} came after the backup: the board does not know of them any more.`]),
  ];
}

/** Whoever has read those entries knows them by numbers that others may get now. */
export function givenOutLines(last: number | undefined, seq: number, goesOn: boolean): readonly string[] {
  if (last === undefined || last <= seq) return [];
  const [which, they] = last === seq + 1 ? [`Entry ${last} was`, "its number"] : [`Entries ${seq + 1} to ${last} were`, "their numbers"];
  const anew = `New entries will get ${they}: whoever has read further than entry ${seq} must read again from there.`;
  return [`${which} published and ${last === seq + 1 ? "is" : "are"} not in the backup.${goesOn ? ` ${anew} See docs/operate.md.` : ""}`];
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

const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`);
