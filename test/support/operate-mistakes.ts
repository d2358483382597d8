// Wrong arguments for every command of an operator, made from right ones: mistakes that are possible with any command, and those of one
// command.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

type Words = readonly string[];
type Flags = Readonly<Record<string, string>>;

/** The names in the arguments. All of them exist on the board, except the stranger. */
export interface Named {
  readonly id: string;
  readonly other: string;
  /** A message that was removed. */
  readonly gone: string;
  readonly agent: string;
  readonly stranger: string;
  readonly report: string;
  /** An empty directory. */
  readonly files: string;
}

export interface Tried {
  /** Right arguments, without flags. */
  readonly good: Words;
  /** Flags with a value that the command requires or accepts, with right values. */
  readonly flags: Flags;
  /** Other flags of this command. */
  readonly own: Words;
  /** Mistakes that only this command can have. */
  readonly wrong: readonly Words[];
}

export const WHY: Flags = { "--category": "spam", "--ground": "incompatible_content", "--facts": "Advertising." };
const NOT_BITS: Words = ["65", "-1", "1.5", "1e1", "0x10", "", " 12", "12 ", "12\n", "twelve", "defaults", "DEFAULT", "٣"];
/** Missing words for the category, the ground or the facts. */
const NOT_WHY: readonly (readonly [string, Words])[] = [
  ["--category", ["spams", "SPAM", "spam,fraud", " spam", "spam\n", "toString"]],
  ["--ground", ["illegal", "illegal_content\n", "ILLEGAL_CONTENT", "constructor"]],
  ["--facts", ["   ", "\n", "x".repeat(2001), "a\0b", "\u001b[2J"]],
];

/** Too short, too long, unknown, misspelt, or not an id. */
const notIds = (id: string): Words => [
  id.slice(0, 1),
  id.slice(0, 7),
  `${id}0`,
  "0123456789abcdef",
  "f".repeat(64),
  id.toUpperCase(),
  `${id}\n`,
  `${id.slice(0, 20)}\n${id.slice(20)}`,
  `${id}\0`,
  ` ${id}`,
  `${id} ${id}`,
  "--",
  "*",
  "%",
  "../../etc/passwd",
  "\u001b[2J",
];
const notAgents = (agent: string): Words => [
  agent.slice(0, 12),
  `${agent}0`,
  agent.toUpperCase(),
  `${agent}\n`,
  `${agent}\0`,
  agent.slice(3),
  "nobody-here",
  "spammer@elsewhere.example",
  "No Such Agent!",
  "*",
];
const notReports = (report: string, id: string): readonly Words[] =>
  [report.slice(0, 8), `${report}0`, report.toUpperCase(), `${report}\n`, `${report}\0`, "rp_0000000000000000", "rp_", id, "*", "all"].map(
    alone,
  );

const alone = (word: string): Words => [word];
const wordsOf = (flags: Flags): Words => Object.entries(flags).flat();
const why = wordsOf(WHY);
const wrongWhy = NOT_WHY.flatMap(([flag, values]) => values.map((value) => wordsOf({ ...WHY, [flag]: value })));

export function triedOn({ id, other, gone, agent, stranger, report, files }: Named): Readonly<Record<string, Tried>> {
  const file = (name: string, text: string): string => {
    writeFileSync(join(files, name), text);
    return join(files, name);
  };
  const full = join(files, "full");
  mkdirSync(full);
  const list = file("full/ids.txt", `# spam\n${id}\n`);
  const hash = "a".repeat(64);
  return {
    remove: {
      good: [id],
      flags: WHY,
      own: ["--author", "--keep-attachments"],
      wrong: [
        ...notIds(id).map((one) => [one, ...why]),
        ...wrongWhy.map((reasons) => [id, ...reasons]),
        ...notAgents(agent).map((one) => ["--author", one, ...why]),
        // If one argument is wrong, the right ones beside it have no effect either.
        ...["f".repeat(64), id.slice(0, 3), "", agent, report].flatMap((one) => [
          [id, one, ...why],
          [one, other, ...why],
        ]),
        [agent, ...why],
        [report, ...why],
        [gone, ...why],
        [gone.slice(0, 8), ...why],
        // Only one way to choose messages at a time.
        [id, "--author", agent, ...why],
        [id, "--from", list, ...why],
        ["--author", agent, "--from", list, ...why],
        ["--author", agent, "--author", agent, ...why],
        ["--from", list, "--from", list, ...why],
        [...why],
        ["--author", stranger, ...why],
        ["--author", "", ...why],
        ["--from", "", ...why],
        ["--from", file("bad.txt", `${other}\nnot-an-id\n`), ...why],
        ["--from", file("empty.txt", "# nothing\n\n"), ...why],
        ["--from", full, ...why],
        ["--from", join(files, "missing.txt"), ...why],
        [id],
        [id, "--category", "spam"],
        [id, "--category", "--ground", "incompatible_content", "--facts", "Advertising."],
        [id, "--facts", "Advertising.", "--category", "--ground"],
      ],
    },
    restore: { good: [gone], flags: {}, own: [], wrong: [...notIds(gone).map(alone), [id], [id.slice(0, 8)], [agent], [gone, gone]] },
    "block-key": {
      good: [agent],
      flags: WHY,
      own: ["--and-remove", "--unseen"],
      wrong: [
        ...notAgents(agent).map((one) => [one, ...why]),
        ...wrongWhy.map((reasons) => [agent, ...reasons]),
        [stranger, ...why],
        [stranger, "--and-remove", ...why],
        [id, ...why],
        [agent, stranger, ...why],
        [agent],
        [agent, "--and-remove"],
        [agent, "--and-remove=yes", ...why],
        [agent, "--unseen=1", ...why],
      ],
    },
    "unblock-key": { good: [agent], flags: {}, own: [], wrong: [...notAgents(agent).map(alone), [agent], [stranger], [agent, agent]] },
    "block-blob": {
      good: [hash],
      flags: WHY,
      own: [],
      wrong: [
        ...[hash.slice(1), `${hash}a`, hash.toUpperCase(), "g".repeat(64), `${hash}\n`, "a", "*"].map((one) => [one, ...why]),
        ...wrongWhy.map((reasons) => [hash, ...reasons]),
        [hash, "b".repeat(64), ...why],
        [hash],
      ],
    },
    "read-only": { good: ["on"], flags: {}, own: [], wrong: ["ON", "yes", "true", "1", "on\n", " on", "of", "onoff"].map(alone) },
    "set-pow": {
      good: ["12"],
      flags: { "--max": "14" },
      own: ["--now"],
      wrong: [
        ...NOT_BITS.flatMap((bits) => [[bits], ["12", "--max", bits]]),
        ["12", "--max", "11"],
        ["7", "9"],
        ["12", "--max=", "--now"],
        ["12", "--now=yes"],
        ["--now"],
        ["default", "12"],
      ],
    },
    "reports list": {
      good: [],
      flags: { "--state": "open" },
      own: [],
      wrong: ["opened", "OPEN", "received", "open,all", "toString"].map((state) => ["--state", state]),
    },
    "reports show": { good: [report], flags: {}, own: [], wrong: notReports(report, id) },
    "reports dismiss": { good: [report], flags: {}, own: [], wrong: [...notReports(report, id), [report, report]] },
    stats: { good: [], flags: {}, own: [], wrong: [] },
    check: { good: [], flags: {}, own: [], wrong: [] },
    backup: { good: [join(files, "backup")], flags: {}, own: [], wrong: [[full], [join(files, "backup"), join(files, "other")]] },
    "restore-backup": {
      good: [full],
      flags: { "--replaced-url": "postgres://127.0.0.1:9/nothing" },
      own: ["--reapply"],
      wrong: [[join(files, "missing")], [full]],
    },
    undone: {
      good: [full],
      flags: {},
      own: ["--replaced-url", "--reapply"],
      wrong: [[join(files, "missing")], [full], [], [full, "--replaced-url", "postgres://127.0.0.1:9/nothing"]],
    },
  };
}

/** Mistakes with any command: something is missing, empty, too much, unknown, of another command, given twice, or without its value. */
export function usualMistakes(name: string, { good, flags, own }: Tried, files: string): readonly Words[] {
  const right = [...good, ...wordsOf(flags)];
  const takesMany = name === "remove";
  const mine = new Set([...Object.keys(flags), ...own]);
  const ofOthers = [
    "--max",
    "--state",
    "--category",
    "--author",
    "--replaced-url",
    "--and-remove",
    "--keep-attachments",
    "--now",
    "--unseen",
    "--reapply",
  ];
  const without = (flag: string): Words => wordsOf(Object.fromEntries(Object.entries(flags).filter(([one]) => one !== flag)));
  const places: Flags = { "--data": files, "--key-file": join(files, "key"), "--base-url": "http://board.test" };
  return [
    ...(good.length === 0 || takesMany ? [] : [wordsOf(flags)]),
    ...good.map((_, i) => [...good.with(i, ""), ...wordsOf(flags)]),
    ...(takesMany
      ? []
      : [
          [...right, "extra"],
          [...right, ""],
          ["extra", ...right],
        ]),
    ...["--nonsense", "-x", "--yess", "--yes=no", "--force", "---"].map((flag) => [...right, flag]),
    ...ofOthers.filter((flag) => !mine.has(flag)).map((flag) => [...right, flag, "spam"]),
    ...Object.entries(flags).flatMap(([flag, value]) => [
      [...good, ...wordsOf({ ...flags, [flag]: "" })],
      [...good, ...without(flag), `${flag}=`],
      [...right, flag, value],
      [...good, ...without(flag), flag],
    ]),
    ...Object.entries(places).flatMap(([flag, value]) => [
      [...right, flag, ""],
      [...right, flag, value, flag, value],
      [...right, flag],
    ]),
  ];
}
