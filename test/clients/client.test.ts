// The TypeScript client against a real board: every function once, and its behaviour when things go wrong.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  acknowledge,
  type AgentKey,
  answerTo,
  assistAck,
  assistAlias,
  assistCheck,
  assistKeygen,
  assistPost,
  assistPrepare,
  type Board,
  BoardError,
  type BoardEvent,
  type Changes,
  check,
  claim,
  claimAlias,
  commitKey,
  connect,
  delegateKey,
  each,
  eachMessage,
  findSimilar,
  findWork,
  getAgent,
  getAlias,
  getBlob,
  getBrief,
  getBriefText,
  getChanges,
  getCheckpoint,
  getGraph,
  getKeys,
  getKinds,
  getMessage,
  getMessageProof,
  getStats,
  getThread,
  getTransparency,
  listAgents,
  listAliases,
  listExpiring,
  listMessages,
  keyHash,
  listTags,
  loadKey,
  LogFault,
  makeKey,
  messageId,
  mineHere,
  poll,
  post,
  question,
  readInbox,
  refute,
  releaseAlias,
  replyTo,
  reportMessage,
  resultOf,
  retract,
  retractAll,
  revokeKey,
  rotateKey,
  searchMessages,
  send,
  signal,
  subtaskOf,
  task,
  undelegateKey,
  verify,
  verifyEnvelope,
  vetoKey,
  verifyLog,
  watch,
} from "../../src/client/client.ts";
import { mineInThreads } from "../../src/client/node/mine-threads.ts";
import { HOUR_MS } from "../../src/core/durations.ts";
import { TestBoard } from "../support/board.ts";
import { openBeside } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { emptyDirectory } from "../support/process.ts";
import { Proxy } from "../support/proxy.ts";

const refusal = async (promise: Promise<unknown>): Promise<BoardError> => {
  const error: unknown = await promise.catch((caught: unknown) => caught);
  if (!(error instanceof BoardError)) throw new Error("no refusal", { cause: error });
  return error;
};
const take = async <Item>(items: AsyncIterator<Item, void>): Promise<Item> => {
  const { value, done } = await items.next();
  if (done === true) throw new Error("the iteration has ended");
  return value;
};

async function all<Item, Mapped>(items: AsyncIterable<Item>, keep: (item: Item) => Mapped): Promise<Mapped[]> {
  const mapped: Mapped[] = [];
  for await (const item of items) mapped.push(keep(item));
  return mapped;
}

let host: TestBoard;
let board: Board;
/** Every request of the whole file, for the last test. */
const asked: string[] = [];
let asker: AgentKey;
let worker: AgentKey;
beforeAll(async () => {
  host = await TestBoard.start({ flags: ["--mail-domain", "board.example"] });
  board = connect(host.url, {
    fetch: (address, init) => {
      asked.push(`${init?.method ?? "GET"} ${new URL(address as string).pathname}`);
      return fetch(address, init);
    },
  });
  [asker, worker] = await Promise.all([makeKey(), makeKey()]);
});
afterAll(() => host[Symbol.asyncDispose]());

describe("keys", () => {
  test("a key that was kept is the same agent again", async () => {
    const again = await loadKey(asker.secret());
    expect([again.pk, again.agent, await again.sign("text")]).toEqual([asker.pk, asker.agent, await asker.sign("text")]);
  });
  test("printing a key does not show its secret, and a text that is not a secret is refused", async () => {
    expect(JSON.stringify(asker)).not.toContain(asker.secret());
    expect(await refusal(loadKey("x"))).toMatchObject({ code: "bad_encoding" });
  });
});

describe("a round of work", () => {
  let asked: string;
  let answered: string;

  test("asked, claimed, answered, verified and resolved, each act by its own words", async () => {
    const { id } = await post(board, asker, question("Which mirror serves the archive?", { tags: ["mirrors"], needs: ["archives"] }));
    asked = id;
    const other = await post(board, asker, task("Water the plants", { needs: ["hands", "water"] }));
    const fitting = (await findWork(board, { offers: ["archives", "http"] })).messages;
    expect(fitting).toMatchObject([
      { id, match: { needs: ["archives"], of: 1 } },
      { id: other.id, match: { needs: [], of: 2 } },
    ]);
    expect((await findWork(board, { needs: ["archives"] })).messages).toMatchObject([{ id, match: { needs: [], of: 1 } }]);
    await post(board, asker, retract(other.id));
    await post(board, worker, claim(id, { lease: "2h" }));
    expect((await getMessage(board, id)).derived).toMatchObject({ status: "claimed", claimed_by: worker.agent });
    const taken = await refusal(post(board, asker, claim(id)));
    expect(taken).toMatchObject({ code: "already_claimed", status: 409, details: { claimed_by: worker.agent } });
    expect(taken.hint).not.toBe("");
    ({ id: answered } = await post(board, worker, answerTo(id, "The second one, since May."), { mine: mineInThreads(1) }));
    await post(board, asker, verify(answered, "I fetched a file from it."));
    expect((await getMessage(board, id)).derived.status).toBe("verified");
    await post(board, asker, signal(id, "resolved"));
    expect((await getMessage(board, id.slice(0, 12))).derived.status).toBe("resolved");
  });
  test("the thread, the graph and the inbox show it", async () => {
    const thread = await getThread(board, answered, { include: ["body"] });
    expect([thread.root, thread.messages.length, thread.next_cursor]).toEqual([asked, 5, null]);
    expect([thread.complete, thread.total]).toEqual([true, 5]);
    expect(thread.messages.find(({ id }) => id === answered)?.content.body).toBe("The second one, since May.");
    const folded = await getThread(board, answered, { scope: "subtree", fold: true, fields: ["derived.status"] });
    expect(folded.messages).toEqual(
      [asked, answered].map((id) => expect.objectContaining({ id, derived: { status: expect.any(String) as string } }) as object),
    );
    expect(folded).toMatchObject({ complete: false, next_cursor: null });
    expect((await getThread(board, asked, { limit: 2 })).messages).toHaveLength(2);
    expect(await getMessage(board, asked, { fields: "meta.kind" })).toEqual({ id: asked, meta: { kind: "question" } });
    const graph = await getGraph(board, asked, { depth: 2, rel: ["answers", "verifies"] });
    expect(graph.nodes.map(({ distance }) => distance)).toEqual([0, 1, 2]);
    const inbox = await readInbox(board, asker.agent, { since: "1h" });
    expect(inbox.messages.map(({ reason }) => reason)).toContain("reply");
    const brief = await getBrief(board, asker.agent, { budget: 4000, since: "1h" });
    expect(brief.used).toBeLessThanOrEqual(4000);
    expect(brief.sections.find(({ name }) => name === "threads")?.items.map(({ id }) => id)).toContain(asked);
    expect(await getBriefText(board, asker.agent)).toMatch(/^# Brief for ag_/);
    const [{ id } = { id: "" }] = inbox.messages;
    const { latest_seq: seq } = inbox;
    expect(await acknowledge(board, asker, { seen: seq, acted: [id] })).toMatchObject({ agent: asker.agent, seen: seq, acted: 1 });
    expect(await readInbox(board, asker.agent, { unread: true })).toMatchObject({ seen: seq, messages: [] });
  });
  test("the other acts are what the board takes too", async () => {
    const { id: root } = await post(board, asker, task("Translate the manual"));
    const { id: part } = await post(board, asker, subtaskOf(root, "Chapter 3"));
    const { id: result } = await post(board, worker, resultOf(part, "Done."));
    await post(board, asker, refute(result, "Half of it is missing."));
    const { id: reply } = await post(board, worker, replyTo(result, "Oops."));
    // The asker rejects the answer, so the work has to be done again.
    expect((await getMessage(board, part)).derived).toMatchObject({ status: "open", answers: 0, rejected: 1 });
    await post(board, worker, retract(reply));
    expect(await refusal(getMessage(board, reply))).toMatchObject({ code: "retracted", status: 410 });
  });
});

describe("posting", () => {
  test("twice is once: the same payload is the same message", async () => {
    const ts = Math.floor(host.clock.now() / 1000);
    const first = await post(board, asker, { kind: "note", body: "once" }, { ts });
    const second = await post(board, asker, { kind: "note", body: "once" }, { ts });
    expect([first.result, second.result, second.id]).toEqual(["created", "exists", first.id]);
  });
  test("a dry run shows the price and similar messages, and writes nothing", async () => {
    await post(board, asker, { kind: "finding", title: "The parser drops the last line", body: "Without a final newline." });
    const { latest_seq: before } = await getChanges(board);
    const dry = await check(board, asker, { kind: "finding", title: "The parser drops the last line", body: "Without a newline." });
    expect(dry).toMatchObject({ result: "valid", required_bits: 4, similar: [{ title: "The parser drops the last line" }] });
    expect((await getChanges(board)).latest_seq).toBe(before);
    expect(await refusal(check(board, asker, { kind: "answer" }))).toMatchObject({ code: "kind_requirements" });
  });
  test("an empty id is refused, and is not the address of a list", async () => {
    const calls = [getMessage, getThread, getGraph, getAgent, readInbox, getBlob, getAlias, getKeys, getMessageProof];
    for (const read of calls) await expect(read(board, ""), read.name).rejects.toThrow("An id, an agent or an alias is empty.");
  });
  test("warnings about likely mistakes come with the answer, and block nothing", async () => {
    // A clock far from the client's own would cause one more warning.
    host.clock.set(Math.max(host.clock.now(), Date.now()));
    const { warnings } = await check(board, asker, { kind: "finding" });
    expect(warnings.map(({ code }) => code)).toEqual(["empty", "work_unchecked", "no_tags"]);
    const { id } = await post(board, asker, { kind: "finding", body: "Eight.", tags: ["rows"] });
    const voted = await post(board, asker, verify(id, "I am sure."));
    expect(voted.warnings).toEqual([{ code: "self_vote", message: expect.stringContaining(id) as string }]);
    expect((await getMessage(board, id)).derived.verifies).toBe(0);
    const answered = await post(board, worker, answerTo(id, "To what?"));
    expect(answered.warnings.map(({ code }) => code)).toEqual(["target_not_workable"]);
  });
  test("everything of a key is withdrawn at once, on the board that it was signed for and on no other", async () => {
    await using other = await TestBoard.start();
    const leaver = await makeKey();
    const ids: string[] = [];
    for (const body of ["one", "two"]) ids.push((await post(board, leaver, { kind: "note", body })).id);
    const elsewhere = await post(connect(other.url), leaver, { kind: "note", body: "elsewhere" });
    const { id } = await retractAll(board, leaver);
    for (const gone of ids) expect(await refusal(getMessage(board, gone))).toMatchObject({ code: "retracted" });
    const { raw } = await getMessage(board, id, { include: ["raw"] });
    if (raw === undefined) throw new Error("no raw");
    expect(await refusal(send(connect(other.url), raw))).toMatchObject({ code: "kind_requirements" });
    expect((await getMessage(connect(other.url), elsewhere.id)).id).toBe(elsewhere.id);
  });
  test("attached texts arrive with their hash and size", async () => {
    const files = [{ name: "notes.md", mime: "text/markdown", text: "# Grüße\n" }];
    const { meta } = await post(board, asker, { kind: "note", title: "With a file" }, { files });
    expect(meta.attachments).toMatchObject([{ name: "notes.md", size: 10 }]);
    expect(await getBlob(board, meta.attachments?.[0]?.sha256 ?? "")).toBe("# Grüße\n");
  });
  test("a nonce that is too cheap by now is mined again at the price of the day", async () => {
    const prices: number[] = [];
    const mine: typeof mineHere = (id, bits, options) => {
      prices.push(bits);
      return bits === 0 ? Promise.resolve("cheap") : mineHere(id, bits, options);
    };
    // A lucky nonce has the four bits by chance, once in sixteen times.
    for (let n = 0; prices.length < 2; n++) {
      prices.length = 0;
      expect(await post(board, asker, { kind: "note", body: `cheap ${n}` }, { bits: 0, mine })).toMatchObject({ result: "created" });
    }
    expect(prices).toEqual([0, 4]);
  });
  test("a machine whose clock is wrong posts by the board's clock", async () => {
    await using late = await TestBoard.start();
    late.clock.advance(5 * HOUR_MS);
    const posted = await post(connect(late.url), asker, { kind: "note", body: "late" });
    expect(posted.meta.created_at).toBe(new Date(Math.floor(late.clock.now() / 1000) * 1000).toISOString());
    expect(await check(connect(late.url), asker, { kind: "note", body: "late too" })).toMatchObject({ result: "valid" });
  });
  test("a message shown by the board can be checked without trusting the board", async () => {
    const { id } = await post(board, asker, { kind: "note", body: "to be checked" });
    const { raw } = await getMessage(board, id, { include: ["raw"] });
    if (raw === undefined) throw new Error("no raw");
    expect(await verifyEnvelope(raw, { bits: 4 })).toMatchObject({ id, author: asker.agent, payload: { body: "to be checked" } });
    const forged = { ...raw, payload: raw.payload.replace("checked", "trusted") };
    expect(await refusal(verifyEnvelope(forged))).toMatchObject({ code: "bad_signature" });
  });
});

describe("asking", () => {
  beforeAll(async () => {
    for (let n = 0; n < 5; n++)
      await post(board, worker, { kind: "x-count", title: `Number ${n}`, tags: ["numbers"], offers: ["counting"] });
  });
  test("every page of a listing comes, one message after the other", async () => {
    const titles = await all(eachMessage(board, { tag: ["numbers"], sort: "old", limit: 2 }), ({ meta }) => meta.title);
    expect(titles).toEqual(["Number 0", "Number 1", "Number 2", "Number 3", "Number 4"]);
    const agents = await all(
      each(
        (cursor) => listAgents(board, { limit: 1, cursor }),
        (page) => page.agents,
      ),
      ({ id }) => id,
    );
    expect(agents).toEqual(expect.arrayContaining([asker.agent, worker.agent]));
  });
  test("filters, full text and similarity", async () => {
    const list = await listMessages(board, { author: [worker.agent], kind: ["x-count"], since: "1h", include: ["body"], has_data: false });
    expect(list.messages).toHaveLength(5);
    expect((await searchMessages(board, "number 3")).messages.map(({ meta }) => meta.title)).toEqual(["Number 3"]);
    const [like] = (await findSimilar(board, "the parser drops the very last line", { limit: 3 })).messages;
    expect(like?.meta.title).toBe("The parser drops the last line");
    expect(await refusal(listMessages(board, { limit: 1000 }))).toMatchObject({ code: "invalid_parameter", status: 400 });
  });
  test("agents, tags, kinds and figures", async () => {
    expect((await getAgent(board, worker.agent)).offers).toEqual(["counting"]);
    expect((await listTags(board, { prefix: "num" })).tags).toMatchObject([{ tag: "numbers", count: 5 }]);
    expect((await getKinds(board)).kinds.map(({ name }) => name)).toContain("question");
    expect((await getStats(board)).live.messages).toBeGreaterThan(5);
    expect((await listExpiring(board, { within: "7d", limit: 3 })).messages).toHaveLength(3);
  });
});

describe("names and help", () => {
  test("a key commits, delegates, changes its mind and is rotated and revoked, all within a second", async () => {
    const [key, next, child, recovery] = [await makeKey(), await makeKey(), await makeKey(), await makeKey()];
    const commitment = { next: keyHash(next), recovery: keyHash(recovery) };
    expect(await commitKey(board, key, commitment)).toMatchObject({ state: "counted", current: key.agent, ...commitment });
    const until = Math.floor(Date.now() / 1000) + 3600;
    await delegateKey(board, key, child, until, { kinds: ["note"] });
    expect((await post(board, child, { kind: "note", title: "for my parent" })).server.author).toMatchObject({ delegated_by: key.agent });
    await undelegateKey(board, key, child.pk);
    const { id, state } = await commitKey(board, key, { next: keyHash(child) });
    expect(state).toBe("pending");
    await vetoKey(board, recovery, key.agent, id);
    expect(await rotateKey(board, next, key.agent, { next: keyHash(child) })).toMatchObject({ state: "counted", current: next.agent });
    await revokeKey(board, next, next.agent, until - 3700);
    const { operations, keys, current } = await getKeys(board, key.agent);
    expect(operations.map(({ type }) => type)).toEqual([
      "key_commit",
      "key_delegate",
      "key_undelegate",
      "key_commit",
      "key_veto",
      "key_rotate",
      "key_revoke",
    ]);
    expect([keys.length, current]).toEqual([3, null]);
    expect(await refusal(post(board, key, { kind: "note", title: "too late" }))).toMatchObject({ code: "key_revoked", status: 409 });
  });

  test("an alias is claimed, found, renewed in the same second and released", async () => {
    expect(await claimAlias(board, asker, "asker")).toMatchObject({ op: "claim", alias: "asker", agent: asker.agent });
    expect(await getAlias(board, "Asker@board.example")).toMatchObject({ agent: asker.agent, email: "asker@board.example" });
    expect((await claimAlias(board, asker, "asker")).op).toBe("claim");
    expect((await listAliases(board, { q: "ask" })).aliases).toMatchObject([{ alias: "asker" }]);
    expect((await readInbox(board, "asker")).messages.length).toBeGreaterThan(0);
    expect(await refusal(releaseAlias(board, worker, "asker"))).toMatchObject({ code: "not_owner" });
    expect(await releaseAlias(board, asker, "asker")).toMatchObject({ op: "release" });
    expect(await refusal(getAlias(board, "asker"))).toMatchObject({ code: "alias_unknown" });
  });
  test("the last operation on a name counts, even after the same operation in the same second", async () => {
    const operations = [claimAlias, releaseAlias, claimAlias, releaseAlias, claimAlias] as const;
    for (const operate of operations) {
      const { op } = await operate(board, asker, "flicker");
      const held = await getAlias(board, "flicker").then(
        () => true,
        () => false,
      );
      expect(held).toBe(op === "claim");
    }
  });
  test("an operation on a name contains the id of its board, and nothing is signed for a board that does not give one", async () => {
    const bodies: string[] = [];
    const listening = (away: boolean): Board =>
      connect(host.url, {
        fetch: (address, init) => {
          if (typeof init?.body === "string") bodies.push((JSON.parse(init.body) as { payload: string }).payload);
          const refused = { error: { code: "log_rollback", message: "No.", hint: "Wait.", docs: "" } };
          if (away && (address as string).endsWith("/api/checkpoint")) return Promise.resolve(Response.json(refused, { status: 503 }));
          return fetch(address, init);
        },
      });
    await claimAlias(listening(false), asker, "for-here");
    await expect(claimAlias(listening(true), asker, "for-anywhere")).rejects.toMatchObject({ code: "log_rollback" });
    const { board: id } = await getCheckpoint(board);
    expect(bodies.map((payload) => (JSON.parse(payload) as { board?: string }).board)).toEqual([id]);
    await using other = await TestBoard.start();
    const payload = bodies[0] ?? "";
    const nonce = await mineHere(messageId(payload), 8);
    const sent = await other.send(JSON.stringify({ payload, sig: await asker.sign(payload), nonce }), "/api/aliases");
    expect([sent.status, sent.body.error.code]).toEqual([400, "wrong_board"]);
  });
  test("a caller that can neither sign nor mine lets the board do it, with a key that works here too", async () => {
    const { secret_key: secret, agent_id: agent } = await assistKeygen(board);
    const attachments = [{ name: "a.txt", mime: "text/plain", text: "attached" }];
    expect(await assistCheck(board, secret, { kind: "note", body: "by proxy", attachments })).toMatchObject({ result: "valid" });
    const posted = await assistPost(board, secret, { kind: "note", body: "by proxy" });
    expect(posted.server).toMatchObject({ assisted: true, author: { id: agent } });
    expect(await verifyEnvelope(posted.envelope)).toMatchObject({ id: posted.id, author: agent });
    expect(await assistAck(board, secret, { seen: posted.seq })).toMatchObject({ agent, seen: posted.seq });
    expect(await assistAlias(board, secret, "proxied")).toMatchObject({ alias: "proxied", agent });
    expect((await loadKey(secret)).agent).toBe(agent);
  });
  test("a caller that can sign but not mine lets the board prepare the message, without showing it the key", async () => {
    const { payload, nonce } = await assistPrepare(board, worker.pk, { kind: "note", body: "prepared" }, { mine: true });
    const posted = await send(board, { payload, nonce: nonce ?? "", sig: await worker.sign(payload) });
    expect(posted).toMatchObject({ result: "created", server: { assisted: false, author: { id: worker.agent } } });
  });
  test("a report reaches the operator and is counted", async () => {
    const { id } = await post(board, worker, { kind: "note", body: "Buy now!" });
    expect(await reportMessage(board, { target: id.slice(0, 12), category: "spam", explanation: "It advertises." })).toMatchObject({
      state: "received",
      target: id,
    });
    expect((await getTransparency(board)).notices).toMatchObject({ received: 1, open: 1 });
  });
});

describe("waiting", () => {
  test("a watcher sees messages, changes of status and ends, and stops on request", async () => {
    const stop = new AbortController();
    const events = watch(board, { tag: "watched" }, { signal: stop.signal });
    expect((await take(events)).type).toBe("live");
    const { id } = await post(board, asker, question("Seen?", { tags: ["watched"] }));
    await post(board, worker, answerTo(id, "Yes."));
    await post(board, asker, retract(id));
    expect(await take(events)).toMatchObject({ type: "message", message: { id, content: { untrusted: true } } });
    expect(await take(events)).toMatchObject({ type: "status", id, from: "open", to: "answered" });
    expect(await take(events)).toMatchObject({ type: "gone", id, reason: "retracted" });
    const end = events.next();
    stop.abort();
    expect(await end).toEqual({ done: true, value: undefined });
  });
  test("a watcher with a question that the board refuses learns it at once", async () => {
    expect(await refusal(take(watch(board, { kind: "dance" })))).toMatchObject({ code: "invalid_parameter" });
  });
  test("a long poll brings each new message once, however many come at once", async () => {
    const stop = new AbortController();
    const { latest_seq: after } = await getChanges(board);
    const messages = poll(board, { tag: "polled", limit: 2 }, { after, signal: stop.signal });
    const first = take(messages);
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) ids.push((await post(board, asker, { kind: "note", title: `Polled ${n}`, tags: ["polled"] })).id);
    const got = [(await first).id];
    while (got.length < 5) got.push((await take(messages)).id);
    expect(got).toEqual(ids);
    const end = messages.next();
    stop.abort();
    expect((await end).done).toBe(true);
  });
  test("a caller that has read more than the board has learns that the board was reset, by poll and by stream", async () => {
    const { latest_seq: latest } = await getChanges(board);
    const beyond = { code: "future_cursor", details: { latest_seq: latest } };
    expect(await refusal(take(poll(board, {}, { after: latest + 5, wait: 0 })))).toMatchObject(beyond);
    expect(await refusal(take(watch(board, {}, { after: latest + 5 })))).toMatchObject(beyond);
    expect(await getChanges(board, { after: latest + 5 })).toMatchObject({ changes: [], latest_seq: latest, more: false });
  });
  test("a board that restarts costs a watcher neither an event nor a repetition", async () => {
    const data = emptyDirectory();
    let running = await TestBoard.start({ data });
    await using address = await Proxy.start(() => running.url);
    const restarting = connect(address.url);
    const states: string[] = [];
    const stop = new AbortController();
    const got: BoardEvent[] = [];
    const watching = (async () => {
      const options = { signal: stop.signal, retryMs: 50, onConnection: ({ state }: { state: string }) => states.push(state) };
      for await (const event of watch(restarting, {}, options)) if (got.push(event) && messagesOf(got).length === 6) stop.abort();
    })();
    await eventually("the watch is there", () => got[0]);
    const ids: string[] = [];
    for (let restart = 0; restart < 2; restart++) {
      for (let n = 0; n < 3; n++) ids.push((await post(restarting, asker, { kind: "note", body: `${restart} ${n}` })).id);
      await running.stop();
      running = await TestBoard.start({ data });
    }
    await watching;
    await running.stop();
    expect(messagesOf(got)).toEqual(ids);
    expect(states.filter((state) => state === "lost").length).toBeGreaterThan(0);
    const seqs = got.filter(({ type }) => type !== "live").map(({ seq }) => seq);
    expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
  });
});

const messagesOf = (events: readonly BoardEvent[]): string[] =>
  events.flatMap((event) => (event.type === "message" ? [event.message.id] : []));

describe("the log", () => {
  test("replays to the signed head, and on from where an earlier replay ended", async () => {
    const whole = await verifyLog(board);
    expect(whole).toMatchObject({ after: 0, seq: (await getChanges(board)).latest_seq, checkpoint: { seq: whole.seq } });
    await post(board, asker, { kind: "note", body: "one more" });
    const more = await verifyLog(board, { since: whole, pk: whole.checkpoint.pk, content: false });
    expect([more.after, more.seq]).toEqual([whole.seq, whole.seq + 1]);
    expect(await logFault(verifyLog(board, { pk: asker.pk }))).toEqual(["checkpoint", more.seq]);
    expect(await logFault(verifyLog(board, { since: { seq: whole.seq, hash: "f".repeat(64) } }))).toEqual(["prev", more.seq]);
    expect(await logFault(verifyLog(board, { since: { seq: more.seq + 5, hash: whole.hash } }))).toEqual(["head", more.seq + 5]);
  });
  test("that has lost its beginning still replays, but not for a reader that knew the entries before", async () => {
    const { latest_seq: latest } = await getChanges(board);
    const forgetful = (oldest: number): Board =>
      connect(host.url, {
        fetch: async (address, init) => {
          const answer = await fetch(address, init);
          if (!(address as string).includes("/api/changes")) return answer;
          const page = (await answer.json()) as Changes;
          return Response.json({ ...page, oldest_seq: oldest, changes: page.changes.filter(({ seq }) => seq >= oldest) });
        },
      });
    expect(await verifyLog(forgetful(3))).toMatchObject({ after: 2, seq: latest });
    expect(await logFault(verifyLog(forgetful(3), { since: { seq: 0, hash: "0".repeat(64) } }))).toEqual(["order", 1]);
    expect(await verifyLog(forgetful(latest + 1))).toMatchObject({ after: latest, seq: latest });
  });
  test("does not replay if an old entry was changed", async () => {
    await using tampered = await TestBoard.start();
    const there = connect(tampered.url);
    for (const body of ["one", "two", "three"]) await post(there, asker, { kind: "note", body });
    expect((await verifyLog(there)).seq).toBe(3);
    const db = openBeside(tampered.data);
    db.prepare("UPDATE log SET at = at + 1 WHERE seq = 2").run();
    db.close();
    expect(await logFault(verifyLog(there))).toEqual(["hash", 2]);
  });
});

async function logFault(replay: Promise<unknown>): Promise<[string, number]> {
  const error: unknown = await replay.catch((caught: unknown) => caught);
  if (!(error instanceof LogFault)) throw new Error("no fault", { cause: error });
  return [error.what, error.seq];
}

test("there is nothing to ask of a board that the client cannot ask", async () => {
  const { body } = await host.get<{ paths: Record<string, Record<string, unknown>> }>("/openapi.json");
  const known = Object.entries(body.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const pattern = (operation: string): RegExp => new RegExp(`^${operation.replaceAll(/[.]/g, "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}$`);
  const never = known.filter((operation) => operation.includes(" /api/") && !asked.some((request) => pattern(operation).test(request)));
  // A dump is downloaded as a file, texts to compare are always in the body, and receipts.test.ts requests proofs.
  const proofs = ["GET /api/messages/{id}/proof", "GET /api/changes/{seq}/proof"];
  expect(never).toEqual(["GET /api/similar", "GET /api/dump.jsonl", "GET /api/dump.jsonl.gz", ...proofs]);
});
