// Plays the stories of the table: the effects of a message on another one, and how long they last.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RELS, SIGNALS, STORIES, type Story } from "./effects-table.ts";
import { file } from "./payload-table.ts";
import { faults } from "./shape.ts";
import { sha256, type Signer } from "./signer.ts";
import { type Answer, type Message, type Posted, said, Talk } from "./talk.ts";

const DAY_S = 86_400;
let talk: Talk;
beforeAll(async () => {
  talk = await Talk.start();
});
afterAll(() => talk[Symbol.asyncDispose]());

interface Verb {
  readonly rel: string;
  readonly kind: string;
  /** The name of the message that does it, in later steps. */
  readonly noun: string;
}
const VERBS: Readonly<Record<string, Verb>> = {
  replies: { rel: "reply", kind: "note", noun: "reply" },
  claims: { rel: "claims", kind: "claim", noun: "claim" },
  answers: { rel: "answers", kind: "answer", noun: "answer" },
  verifies: { rel: "verifies", kind: "verification", noun: "vote" },
  refutes: { rel: "refutes", kind: "verification", noun: "vote" },
  signals: { rel: "on", kind: "signal", noun: "signal" },
  retracts: { rel: "retracts", kind: "retraction", noun: "retraction" },
  supersedes: { rel: "supersedes", kind: "note", noun: "version" },
  duplicates: { rel: "duplicates", kind: "task", noun: "copy" },
};
const STEP = /^(?<who>\w+) (?<verb>\w+) (?:(?<signal>[\w-]+) on |to )?(?<target>\S+?)(?: for (?<span>\w+))?(?<note> in a note)?$/;

/** Plays one step; there is no answer if only time passes. */
async function play(
  step: string,
  at: number,
  who: (name: string) => Signer,
  ids: Map<string, string>,
): Promise<Answer<Posted> | undefined> {
  const seconds = /^(\d+) s pass$/.exec(step)?.[1];
  if (seconds !== undefined) {
    talk.pass(Number(seconds));
    return undefined;
  }
  const { who: name = "", verb = "", signal, target = "", span, note } = STEP.exec(step)?.groups ?? {};
  const { rel, kind, noun } = VERBS[verb] ?? {};
  if (rel === undefined) throw new Error(`No step: ${step}`);
  const lasting = span === undefined ? {} : { [verb === "claims" ? "lease" : "ttl"]: span };
  const fields = { kind: note === undefined ? kind : "note", title: `step ${at}`, body: step, signal, ...lasting };
  const answer = await talk.post(who(name), { ...fields, refs: [{ rel, id: ids.get(target) }] });
  if (answer.status === 201) ids.set(`${name}/${noun}`, answer.body.id);
  return answer;
}

describe("stories", () => {
  const inTime = (one: Story): boolean => one[1].includes(" s pass");
  // All stories share the time, so a story that needs it to pass plays alone.
  test.concurrent.for(STORIES.filter((one) => !inTime(one)))("%s: %s: %s %o", tell);
  test.for(STORIES.filter(inTime))("%s: %s: %s %o", tell);

  async function tell([it, steps, expected, derived, of = "it"]: Story): Promise<void> {
    const people = new Map(["ann", "bob", "cat", "dan"].map((name) => [name, talk.signer()]));
    const who = (name: string) => people.get(name) ?? talk.signer();
    const ids = new Map([...people].map(([name, { id }]) => [name, id]));
    const [kind = "", addressee = ""] = it.split(" for ");
    const more = addressee === "1s" ? { ttl: addressee } : { to: ids.get(addressee) };
    const first = await talk.post(who("ann"), { kind, title: "it", ...more });
    ids.set("it", first.body.id);
    let last: Answer<Posted> | undefined = first;
    for (const [at, step] of steps.split("; ").filter(Boolean).entries()) last = await play(step, at, who, ids);
    expect(last === undefined ? "" : said(last)).toBe(expected);
    if (of === "none") return;
    const wanted = Object.entries(derived).map(([key, value]) => [key, ids.get(String(value)) ?? value]);
    // Exactly these signals, not these among others.
    const record = await talk.record(ids.get(of) ?? "");
    for (const [key, value] of wanted) expect(record.derived[String(key)], String(key)).toEqual(value);
  }
});

describe("rels", () => {
  const carry = (by: Signer, rel: string, id: string) =>
    talk.post(by, { kind: "x-any", title: rel, signal: rel === "on" ? "useful" : undefined, refs: [{ rel, id }] });

  test.concurrent.for(RELS)("$rel", async ({ rel, joins, ...answers }) => {
    const [ann, bob] = [talk.signer(), talk.signer()];
    const [task, note, gone] = [
      await talk.put(ann, { kind: "task", title: "task" }),
      await talk.put(ann, { kind: "note", title: "note" }),
      await talk.put(ann, { kind: "note", title: "gone" }),
    ];
    const own = await talk.put(bob, { kind: "task", title: "own", refs: [{ rel: "reply", id: note.id }] });
    await talk.put(ann, { kind: "retraction", refs: [{ rel: "retracts", id: gone.id }] });
    const targets = { unknown: "0".repeat(63) + "1", gone: gone.id, task: task.id, note: note.id, own: own.id };
    for (const [name, id] of Object.entries(targets)) {
      const answer = await carry(bob, rel, id);
      expect(said(answer), name).toBe(answers[name as keyof typeof targets]);
      if (answer.status !== 201) continue;
      const roots: Record<string, string> = { ...targets, own: note.id };
      expect(answer.body.derived["root"], name).toBe(joins ? roots[name] : answer.body.id);
      expect(answer.body.derived["is_root"], name).toBe(!joins);
      if (name !== "task" && name !== "own") continue;
      const graph = await talk.get<{ edges: object[] }>(`/api/messages/${answer.body.id}/graph`);
      if (rel !== "retracts") expect(graph.body.edges, name).toContainEqual({ from: answer.body.id, to: id, rel });
    }
  });

  test("a retracted message is gone, and its payload is not accepted again", async () => {
    const by = talk.signer();
    const envelope = JSON.stringify(by.seal(by.text({ kind: "note", title: "withdrawn" })));
    const { id } = (await talk.send(envelope)).body;
    await talk.put(by, { kind: "retraction", refs: [{ rel: "retracts", id }] });
    expect(said(await talk.get(`/api/messages/${id}`))).toBe("410 retracted");
    expect(said(await talk.send(envelope))).toBe("409 retracted");
  });

  test("an expired message is gone, for thirty days", async () => {
    const by = talk.signer();
    const envelope = JSON.stringify(by.seal(by.text({ kind: "note", title: "short", ttl: 1 })));
    const { id } = (await talk.send(envelope)).body;
    talk.pass(1);
    expect(said(await talk.get(`/api/messages/${id}`))).toBe("410 expired");
    expect(said(await talk.send(envelope))).toBe("409 expired");
    talk.pass(30 * DAY_S);
    expect(said(await talk.get(`/api/messages/${id}`))).toBe("404 not_found");
  });

  test("an attachment is there for a day", async () => {
    const sha = sha256("for a day");
    await talk.put(talk.signer(), { kind: "note", attachments: [file("for a day")] }, { [sha]: "for a day" });
    expect(said(await talk.get(`/api/blobs/${sha}`))).toBe("200");
    talk.pass(DAY_S);
    expect(said(await talk.get(`/api/blobs/${sha}`))).toBe("404 blob_unknown");
  });

  test("all of an agent's messages are withdrawn at once", async () => {
    const by = talk.signer();
    const { id } = await talk.put(by, { kind: "note", title: "one of all" });
    const { board } = (await talk.get<{ board: string }>("/api/checkpoint")).body;
    await talk.put(by, { kind: "retraction", data: { scope: "all", board } });
    expect(said(await talk.get(`/api/messages/${id}`))).toBe("410 retracted");
  });
});

describe("claims", () => {
  test("an agent holds at most eight leases, and the refusal lists them", async () => {
    const [ann, bob] = [talk.signer(), talk.signer()];
    const claim = (id: string) => talk.post(bob, { kind: "claim", title: id, refs: [{ rel: "claims", id }] });
    const tasks: Message[] = [];
    for (let n = 0; n < 9; n++) tasks.push(await talk.put(ann, { kind: "task", title: `work ${n}` }));
    for (const one of tasks.slice(0, 8)) expect(said(await claim(one.id))).toBe("201");
    const ninth = await claim(tasks[8]?.id ?? "");
    expect(said(ninth)).toBe("409 too_many_leases");
    for (const one of tasks.slice(0, 8)) expect(JSON.stringify(ninth.body.error?.details)).toContain(one.id);
    // Finished work does not count, whether or not the asker has said so.
    await talk.put(bob, { kind: "answer", body: "done", refs: [{ rel: "answers", id: tasks[0]?.id ?? "" }] });
    expect(said(await claim(tasks[8]?.id ?? ""))).toBe("201");
  });

  test("an agent that claims too late learns who has the work and until when", async () => {
    const [ann, bob, cat] = [talk.signer(), talk.signer(), talk.signer()];
    const { id } = await talk.put(ann, { kind: "task", title: "wanted" });
    for (let n = 0; n < 4; n++) await talk.put(ann, { kind: "task", title: `free ${n}` });
    await talk.put(bob, { kind: "claim", lease: "1h", refs: [{ rel: "claims", id }] });
    const { derived } = await talk.record(id);
    expect(Date.parse(String(derived["lease_until"]))).toBe(talk.board.clock.now() + 3_600_000);
    const late = await talk.post(cat, { kind: "claim", refs: [{ rel: "claims", id }] });
    expect(late.body.error?.details).toMatchObject({ claimed_by: bob.id, lease_until: derived["lease_until"] });
    expect(faults({ alternatives: ["any"] }, late.body.error?.details)).toEqual([]);
    expect(late.body.error?.details?.["alternatives"]).not.toHaveProperty("3");
  });

  test("one message carries one signal to several targets", async () => {
    const [ann, bob] = [talk.signer(), talk.signer()];
    const targets = [await talk.put(ann, { kind: "note", title: "a" }), await talk.put(ann, { kind: "note", title: "b" })];
    await talk.put(bob, { kind: "signal", signal: SIGNALS[0], refs: targets.map(({ id }) => ({ rel: "on", id })) });
    for (const { id } of targets) expect((await talk.record(id)).derived["signals"]).toEqual({ useful: 1 });
  });
});
