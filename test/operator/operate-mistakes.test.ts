// A mistyped command of an operator never changes anything: some hundred wrong argument lists, each run on a board with messages.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TestBoard } from "../support/board.ts";
import { type Named, type Tried, triedOn, usualMistakes, WHY } from "../support/operate-mistakes.ts";
import { Operator } from "../support/operator.ts";
import { emptyDirectory } from "../support/process.ts";
import { placeOf, runHere } from "../support/program.ts";

/** A board with messages, a report and a removal, and the commands to try on it. */
class World implements AsyncDisposable {
  readonly files = emptyDirectory();
  readonly #board: TestBoard;
  readonly #operator: Operator;
  readonly tried: Readonly<Record<string, Tried>>;

  private constructor(board: TestBoard, operator: Operator, named: Omit<Named, "files">) {
    this.#board = board;
    this.#operator = operator;
    this.tried = triedOn({ ...named, files: this.files });
  }

  static async make(): Promise<World> {
    const board = await TestBoard.start();
    const agent = board.agent();
    const put = async (title: string): Promise<string> => (await board.put(agent, { kind: "note", title })).id;
    const [id, other, gone] = [await put("one"), await put("another"), await put("removed")];
    await board.send(JSON.stringify({ target: id, category: "spam", explanation: "I do not like it at all." }), "/api/reports");
    const operator = await Operator.at(board);
    await operator.remove(gone);
    const [notice] = await operator.session.store.notices({ state: "received", after: undefined, limit: 1 });
    return new World(board, operator, { id, other, gone, agent: agent.id, stranger: board.agent().id, report: notice?.id ?? "" });
  }

  /** The flags that name the board. */
  get place(): readonly string[] {
    return placeOf(this.#board.data);
  }

  /** Everything that a command could have changed. */
  async state(): Promise<unknown> {
    const { store } = this.#operator.session;
    return {
      head: await store.head(),
      switches: await store.switches(),
      actions: await store.actions({ since: 0, before: undefined, limit: 1000 }),
      notices: await store.notices({ state: undefined, after: undefined, limit: 1000 }),
    };
  }

  /** All wrong argument lists of a command, with the flags of the board, placed so that the mistake stays what it is. */
  listsFor(name: string): readonly (readonly string[])[] {
    const one = this.tried[name]!;
    const { place } = this;
    const placed = (words: readonly string[]): readonly string[] => [
      ...place.filter((word, i) => !words.includes(i % 2 === 0 ? word : (place[i - 1] ?? ""))),
      ...words,
    ];
    const lists = [...one.wrong.map((words) => [...words, ...place]), ...usualMistakes(name, one, this.files).map(placed)];
    return lists.map((words, i) => ["operate", ...name.split(" "), "--yes", ...(i % 5 === 0 ? ["--json"] : []), ...words]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#operator[Symbol.asyncDispose]();
    await this.#board[Symbol.asyncDispose]();
  }
}

let world: World;
beforeAll(async () => {
  world = await World.make();
});
afterAll(() => world[Symbol.asyncDispose]());

async function expectMistake(args: readonly string[]): Promise<void> {
  const { code, stdout, stderr } = await runHere(args);
  const shown = JSON.stringify(args);
  expect({ refused: code === 1 || code === 2, stdout }, shown).toEqual({ refused: true, stdout: "" });
  expect(stderr.trim(), shown).not.toBe("");
  expect(stderr, shown).not.toMatch(/\n\s+at .+:\d+/);
  // Nothing that a terminal would obey.
  for (const char of ["\0", "\u001b"]) expect(stderr.includes(char), shown).toBe(false);
}

const DECISIONS = ["remove", "restore", "block-key", "unblock-key", "block-blob"];
const OTHERS = [
  "read-only",
  "set-pow",
  "reports list",
  "reports show",
  "reports dismiss",
  "stats",
  "check",
  "backup",
  "restore-backup",
  "undone",
];

describe("a mistake is explained and changes nothing", () => {
  test.each([...DECISIONS, ...OTHERS])("operate %s", async (name) => {
    const before = await world.state();
    for (const args of world.listsFor(name)) await expectMistake(args);
    expect(await world.state()).toEqual(before);
  });
  test("also if the command itself is unknown, or does not come first", async () => {
    const [id = "", report = ""] = [world.tried["remove"]?.good[0], world.tried["reports dismiss"]?.good[0]];
    const before = await world.state();
    for (const words of [["reports", "dismis", report], ["reports", report], ["reports"], ["remve", id], [], ["removes"], [""]])
      await expectMistake(["operate", ...words]);
    for (const words of [
      ["--yes", "remove", id],
      ["reports", "--yes", "dismiss", report],
    ])
      await expectMistake(["operate", ...words, ...world.place]);
    expect(await world.state()).toEqual(before);
  });
  test("and there are many, of every command", () => {
    expect(Object.keys(world.tried).sort()).toEqual([...DECISIONS, ...OTHERS].sort());
    expect([...DECISIONS, ...OTHERS].flatMap((name) => world.listsFor(name)).length).toBeGreaterThan(500);
  });
});

test("an unset variable of the shell changes nothing, in a separate process", async () => {
  const why = Object.entries(WHY).flat();
  const before = await world.state();
  for (const words of [
    ["remove", "", ...why],
    ["remove", ...why],
    ["restore", ""],
    ["block-key", "", ...why],
    ["set-pow", ""],
    ["check", "a", "b"],
  ]) {
    const { code, stdout, stderr } = await runHere(["operate", ...words, "--yes", ...world.place]);
    expect({ words, code, stdout }).toEqual({ words, code: 2, stdout: "" });
    expect(stderr).toMatch(/^error: .+\n/);
  }
  expect(await world.state()).toEqual(before);
});

test("the same commands without the mistakes are acts", async () => {
  await using another = await World.make();
  for (const name of ["reports dismiss", "restore", "block-blob", "set-pow", "read-only", "block-key", "unblock-key", "remove"]) {
    const { good, flags } = another.tried[name]!;
    const before = await another.state();
    const said = await runHere(["operate", ...name.split(" "), ...good, ...Object.entries(flags).flat(), "--yes", ...another.place]);
    expect({ name, ...said }).toMatchObject({ name, code: 0, stderr: "" });
    expect(await another.state(), name).not.toEqual(before);
  }
});
