// Search by meaning: other words for the same thing, in lists, on the stream and before a duplicate is posted.
import { afterAll, beforeAll, expect, test } from "vitest";
import type { MessageRecord } from "../../src/core/view/record.ts";
import type { Agent } from "../support/agent.ts";
import { type PostBody, TestBoard } from "../support/board.ts";
import { openStream, type StreamReader } from "../support/event-stream.ts";

type Scored = MessageRecord & { readonly score: number };
interface Similar {
  readonly similar?: readonly { id: string; score: number; title: string; status: string; claimed_by: string | null; untrusted: true }[];
}

let board: TestBoard;
let agent: Agent;
let crash: PostBody & Similar;
let images: PostBody;
beforeAll(async () => {
  board = await TestBoard.start();
  agent = board.agent();
  crash = await board.put(agent, { kind: "task", title: "parser crashes on empty input", tags: ["parser"] });
  await board.put(agent, { kind: "note", title: "the harbour opens at nine", body: "Boats may leave when the tide is in." });
  images = await board.put(agent, { kind: "note", title: "find duplicate images in a folder" });
});
afterAll(() => board[Symbol.asyncDispose]());

const ASKED = "detect identical pictures inside one directory";
const similar = async (from: TestBoard, text: string): Promise<readonly Scored[]> =>
  (await from.get<{ messages: Scored[] }>(`/api/similar?text=${encodeURIComponent(text)}`)).body.messages;

test("a text that says the same without a word in common is found, and comes first", async () => {
  const [first] = await similar(board, ASKED);
  expect(first?.id).toBe(images.id);
  expect(first?.score).toBeGreaterThan(0.2);
});

test("work that says the same without a common word is found by /api/similar; posts and dry runs name what reaches the threshold", async () => {
  const title = "program fails when the file has nothing in it";
  const found = (await similar(board, title)).find(({ id }) => id === crash.id);
  expect(found).toBeDefined();
  const { body: kinds } = await board.get<{ limits: { near_threshold: number } }>("/api/kinds");
  expect(found?.score).toBeLessThan(kinds.limits.near_threshold);
  const envelope = JSON.stringify(agent.envelope({ kind: "task", title }));
  for (const path of ["/api/messages?dry_run=1", "/api/messages"]) {
    const { body } = await board.send(envelope, path);
    expect((body as Similar).similar).toEqual([]);
    expect(body.warnings.map(({ code }) => code)).not.toContain("similar_open_work");
  }
});

test("a board without meanings goes by words alone, and one that is started with them again finds it again", async () => {
  await using plain = await TestBoard.start({ flags: ["--meaning", "off"] });
  const { id } = await plain.put(plain.agent(), { kind: "note", title: "find duplicate images in a folder" });
  expect((await similar(plain, "duplicate images")).map((one) => one.id)).toEqual([id]);
  expect((await similar(plain, ASKED)).every(({ score }) => score < 0.1)).toBe(true);
  const { clock, data } = plain;
  await plain.stop();
  const again = await TestBoard.start({ clock, data });
  try {
    expect((await similar(again, ASKED))[0]?.id).toBe(id);
  } finally {
    await again.stop();
  }
});

test("near keeps the same messages in lists and on the stream, by the same threshold", async () => {
  const near = encodeURIComponent("the parser crashes if the input is an empty file");
  await using reader = await openStream(board, `/api/stream?near=${near}`);
  await reader.upTo("live");
  const posted = [
    await board.put(agent, { kind: "note", title: "parser crash", body: "It crashes on an empty input file." }),
    await board.put(agent, { kind: "note", title: "another thing", body: "The tide was late today." }),
    await board.put(agent, { kind: "note", title: "empty files make the parser crash" }),
  ];
  const { messages } = (await board.get<{ messages: Scored[] }>(`/api/messages?near=${near}&sort=old`)).body;
  const listed = messages.map(({ id }) => id).filter((id) => posted.some((one) => one.id === id));
  expect(listed).toEqual([posted[0]?.id, posted[2]?.id]);
  expect([(await reader.next("message")).data, (await reader.next("message")).data]).toMatchObject(listed.map((id) => ({ id })));
});

test("a stream weighs words as the board used them when the first reader of its query came; another query agrees with the list", async () => {
  await using growing = await TestBoard.start();
  const author = growing.agent();
  const note = (title: string) => growing.put(author, { kind: "note", title });
  const crowd = async (title: string) => {
    const envelopes = Array.from({ length: 60 }, (_, n) => author.envelope({ kind: "note", title: `${title} ${n}`, tags: ["crowd"] }));
    expect((await growing.bundle(envelopes)).lines.every(({ status }) => status === 201)).toBe(true);
  };
  const query = `near=${encodeURIComponent("parser crashes")}&tag_not=crowd`;
  const listed = async () => (await growing.get<{ messages: Scored[] }>(`/api/messages?${query}`)).body.messages.map(({ id }) => id);
  const opened = async (asked: string) => {
    const reader = await openStream(growing, `/api/stream?${asked}`);
    await reader.upTo("live");
    return reader;
  };
  await crowd("harbour");
  await using early = await opened(query);
  const first = await note("parser for numbers");
  expect(await listed()).toEqual([first.id]);
  await crowd("parser");
  // "parser" is a common word now, so what shares only that is no longer similar.
  expect(await listed()).toEqual([]);
  await using twin = await opened(query);
  await using late = await opened(`${query}&kind=note`);
  const second = await note("parser for dates");
  const same = await note("the parser crashes");
  expect(await listed()).toEqual([same.id]);
  const expectNext = async (reader: StreamReader, ids: readonly string[]) => {
    for (const id of ids) expect((await reader.next("message")).data).toMatchObject({ id });
  };
  await expectNext(late, [same.id]);
  await expectNext(twin, [second.id, same.id]);
  await expectNext(early, [first.id, second.id, same.id]);
});

test("an agent that posts work learns of similar work, and a dry run warns if it is open; never a refusal", async () => {
  expect(crash.similar).toEqual([]);
  const claimer = board.agent();
  await board.put(claimer, { kind: "claim", refs: [{ rel: "claims", id: crash.id }] });
  const like = { kind: "task", title: "The parser crashes on empty input", body: "Found today." };
  const dry = (await board.send(JSON.stringify(agent.envelope(like)), "/api/messages?dry_run=1")).body as PostBody & Similar;
  expect(dry.warnings.map(({ code }) => code)).toContain("similar_open_work");
  const expected = { id: crash.id, title: "parser crashes on empty input", status: "claimed", claimed_by: claimer.id, untrusted: true };
  expect(dry.similar?.[0]).toMatchObject(expected);
  const posted: PostBody & Similar = await board.put(agent, like);
  expect(posted.similar?.[0]).toMatchObject(expected);
  expect(posted.similar?.length).toBeLessThanOrEqual(3);
  expect(posted.similar?.some(({ id }) => id === posted.id)).toBe(false);
  const note: PostBody & Similar = await board.put(agent, { kind: "note", title: "The parser crashes on empty input" });
  expect(note.similar).toBeUndefined();
  const other = (
    await board.send(JSON.stringify(agent.envelope({ kind: "task", title: "Water the plants on Monday" })), "/api/messages?dry_run=1")
  ).body;
  expect(other.warnings.map(({ code }) => code)).not.toContain("similar_open_work");
});

test("emoji and symbols are not similar to texts in scripts that the board cannot compare, and posts of them warn of nothing", async () => {
  await using other = await TestBoard.start();
  for (const title of ["ᴘʟᴇᴀsᴇ ʜᴇʟᴘ", "🚀🔥", "தமிழ் மொழிபெயர்ப்பு தேவை", "እባክዎ ይርዱኝ", "ภาษาไทย ช่วยแปล", "翻译这个文件"])
    await other.put(other.agent(), { kind: "task", title });
  for (const asked of ["😀", "👍👍", "◆◆◆", "∑∫∂"]) {
    const near = (await other.get<{ messages: Scored[] }>(`/api/messages?near=${encodeURIComponent(asked)}`)).body.messages;
    expect([asked, near.map(({ meta }) => meta.title)]).toEqual([asked, []]);
    expect((await similar(other, asked)).map(({ score }) => score)).toEqual([]);
  }
  const envelope = JSON.stringify(other.agent().envelope({ kind: "task", title: "😀😀😀" }));
  const { body } = await other.send(envelope, "/api/messages?dry_run=1");
  expect((body as Similar).similar).toEqual([]);
  expect(body.warnings.map(({ code }) => code)).not.toContain("similar_open_work");
});
