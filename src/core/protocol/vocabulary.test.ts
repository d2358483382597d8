// Kinds, rels and signals: what each kind must have, and nothing more.
import { describe, expect, test } from "vitest";
import { ID, noteText, PK } from "../../../test/support/payload.ts";
import { outcome, refusalOf } from "../../../test/support/outcome.ts";
import { parsePayload } from "./payload.ts";
import {
  isWorkable,
  KIND_NAMES,
  listedKinds,
  listedRels,
  listedSignals,
  listedStatuses,
  REL_NAMES,
  RELS,
  REPORT_CATEGORIES,
  SIGNAL_NAMES,
  STATUS_NAMES,
} from "./vocabulary.ts";

type Fields = Readonly<Record<string, unknown>>;

const message = (kind: string, fields: Fields): string => outcome(() => parsePayload(noteText({ body: undefined, kind, ...fields })));
const refs = (...rels: string[]): Fields => ({ refs: rels.map((rel) => ({ rel, id: ID })) });
const title = { title: "T" };
const body = { body: "B" };
const data = { data: {} };

/** What each kind is content with, and what comes close and is not enough. */
const KINDS: Readonly<Record<string, { readonly enough: readonly Fields[]; readonly short: readonly Fields[] }>> = {
  note: { enough: [{}, title, body, data], short: [] },
  finding: { enough: [{}, body], short: [] },
  task: { enough: [{}, title, body, data], short: [] },
  question: { enough: [{}, title, body], short: [] },
  subtask: {
    enough: [refs("subtask_of"), refs("cites", "subtask_of")],
    short: [{}, { ...title, ...body }, refs("reply"), refs("subtask_of", "subtask_of")],
  },
  answer: { enough: [refs("answers"), refs("answers", "answers")], short: [body, { ...body, ...refs("reply") }] },
  result: { enough: [refs("answers"), refs("answers", "cites")], short: [body, { ...body, ...refs("claims") }] },
  claim: { enough: [refs("claims"), { ...refs("claims"), lease: "1h" }], short: [{}, body, refs("claims", "claims"), refs("answers")] },
  verification: {
    enough: [
      { ...body, ...refs("verifies") },
      { ...body, ...refs("refutes") },
      { ...body, ...refs("verifies", "refutes") },
    ],
    short: [body, refs("verifies"), { ...title, ...refs("refutes") }, { ...body, ...refs("cites") }, { body: "", ...refs("verifies") }],
  },
  summary: { enough: [refs("summarizes"), refs("summarizes", "summarizes")], short: [body, { ...body, ...refs("cites") }] },
  offer: { enough: [{ offers: ["german"] }], short: [{}, { ...title, ...body }, { offers: [] }, { needs: ["german"] }] },
  profile: { enough: [body, data], short: [{}, title, { body: "" }] },
  signal: {
    enough: [
      { signal: "useful", ...refs("on") },
      { signal: "spam", ...refs("on", "on") },
    ],
    short: [{}, { signal: "useful" }, refs("on"), { signal: "useful", ...refs("reply") }],
  },
  retraction: {
    enough: [refs("retracts"), refs("retracts", "retracts"), { data: { scope: "all" } }],
    short: [{}, body, data, { data: { scope: "some" } }, { data: { scope: ["all"] } }, refs("reply")],
  },
  "x-anything": { enough: [{}, body, data, refs("claims")], short: [refs("claims", "claims")] },
};

describe("each kind asks for what makes it useful, and for nothing else", () => {
  test("the list is the whole vocabulary", () => {
    expect([...KIND_NAMES, "x-anything"].sort()).toEqual([...Object.keys(KINDS), "email"].sort());
  });
  for (const [kind, { enough, short }] of Object.entries(KINDS)) {
    test(kind, () => {
      for (const fields of enough) expect([fields, message(kind, fields)]).toEqual([fields, "ok"]);
      for (const fields of short) expect([fields, message(kind, fields)]).toEqual([fields, "kind_requirements"]);
    });
  }
  test("the refusal says what is missing", () => {
    const { message } = refusalOf(() => parsePayload(noteText({ kind: "answer" })));
    expect(message).toBe("The kind answer needs: one or more refs with rel answers.");
  });
});

describe("other kinds", () => {
  test.for(["x-a", "x-my.kind_2-b", "x-0", `x-${"a".repeat(47)}`])("%s is an experiment", (kind) => {
    expect(message(kind, {})).toBe("ok");
    expect(isWorkable(kind)).toBe(false);
  });
  test.for([
    "",
    "Note",
    "notes",
    "note ",
    "x-",
    "x",
    "x-A",
    "x-a b",
    "x--a",
    `x-${"a".repeat(48)}`,
    "toString",
    "constructor",
    "hasOwnProperty",
  ])("%j does not exist", (kind) => {
    expect(message(kind, body)).toBe("unknown_kind");
    expect(isWorkable(kind)).toBe(false);
  });
  test("email is the board's own", () => {
    expect(message("email", { ...body, data_schema: "email@1" })).toBe("kind_reserved");
  });
});

describe("signals", () => {
  test.for(SIGNAL_NAMES)("%s is one", (signal) => {
    expect(message("signal", { signal, ...refs("on") })).toBe("ok");
  });
  test.for(["", "Useful", "like", "wrong_tags", "toString", 1, null])("%j is none", (signal) => {
    expect(message("signal", { signal, ...refs("on") })).toBe("invalid_field");
  });
  test.for(Object.keys(KINDS))("one may stand on the kind %s, if it says what it is about", (kind) => {
    for (const fields of KINDS[kind]?.enough ?? []) {
      const { refs: others = [] } = fields as { refs?: object[] };
      expect(message(kind, { ...fields, refs: [...others, { rel: "on", id: "0".repeat(64) }], signal: "useful" })).toBe("ok");
      const about = (others as { rel: string }[]).some(({ rel }) => rel === "on");
      expect(message(kind, { ...fields, signal: "useful" })).toBe(about ? "ok" : "kind_requirements");
    }
  });
});

test("every rel may stand on every kind", () => {
  for (const rel of REL_NAMES) expect([rel, message("note", { ...body, ...refs(rel) })]).toEqual([rel, "ok"]);
});

describe("the words are those of the public interface", () => {
  test("rels, and which of them join a thread", () => {
    const joins = ["reply", "subtask_of", "answers", "claims", "verifies", "refutes", "on", "retracts"];
    const edges = ["supersedes", "duplicates", "builds_on", "cites", "summarizes"];
    expect([...REL_NAMES].sort()).toEqual([...joins, ...edges].sort());
    expect(REL_NAMES.filter((rel) => RELS[rel].thread).sort()).toEqual(joins.sort());
  });
  test("signals, statuses and report categories", () => {
    expect(SIGNAL_NAMES).toEqual(["useful", "duplicate", "stale", "wrong-tags", "unclear", "spam", "resolved"]);
    expect([...STATUS_NAMES].sort()).toEqual(["answered", "claimed", "disputed", "open", "resolved", "verified"]);
    expect(REPORT_CATEGORIES).toEqual([
      "illegal",
      "csam",
      "terrorism",
      "violence",
      "hate",
      "privacy",
      "copyright",
      "malware",
      "fraud",
      "spam",
      "other",
    ]);
  });
  test("workable kinds", () => {
    expect(KIND_NAMES.filter(isWorkable).sort()).toEqual(["question", "subtask", "task"]);
  });
});

describe("a published example can be posted as it stands", () => {
  test.for([...listedRels(), ...listedSignals(), ...listedStatuses()])("$name", ({ example, meaning }) => {
    const payload = { v: 1, pk: PK, ts: 1767225600, ...example };
    expect(parsePayload(JSON.stringify(payload))).toEqual(payload);
    expect(meaning.length).toBeGreaterThan(3);
  });
  test("of a rel or a signal it carries it", () => {
    for (const { name, example } of listedRels()) expect(example.refs?.map(({ rel }) => rel)).toEqual([name]);
    for (const { name, example } of listedSignals()) expect(example.signal).toBe(name);
  });
  test.for(listedKinds())("$name", ({ name, example, workable, requires, meaning }) => {
    const payload = { v: 1, pk: PK, ts: 1767225600, ...example };
    expect(example.kind).toBe(name);
    if (name === "email") expect(outcome(() => parsePayload(JSON.stringify(payload)))).toBe("kind_reserved");
    else expect(parsePayload(JSON.stringify(payload))).toEqual(payload);
    expect(workable).toBe(isWorkable(name));
    expect([requires, meaning].every((words) => words.length > 3)).toBe(true);
  });
});
