// A caller for whom the board writes a message may use short forms: prefixes of ids, aliases, texts to attach. The signed payload has them
// in full.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sha256 } from "../support/agent.ts";
import { ask, alias, keygen, post } from "../support/assist.ts";
import { TestBoard } from "../support/board.ts";
import { expectRefusal } from "../support/refusal.ts";

let board: TestBoard;
beforeAll(async () => void (board = await TestBoard.start({ flags: ["--mail-domain", "board.example"] })));
afterAll(() => board[Symbol.asyncDispose]());

interface Prepared {
  readonly payload: string;
  readonly nonce: string;
  readonly blobs?: Record<string, string>;
}

/** Both ways to let the board write a message; each answers with the payload that is signed. */
const WAYS = {
  "assist/post": async (message: object) => {
    const { secret_key: key } = await keygen(board);
    const answer = await post(board, key, message);
    return { answer, payload: () => JSON.parse(answer.body.envelope.payload) as Record<string, unknown> };
  },
  "assist/prepare": async (message: object) => {
    const answer = await ask<Prepared>(board, "prepare", { pk: board.agent().pk, message });
    return { answer, payload: () => JSON.parse(answer.body.payload) as Record<string, unknown> };
  },
} as const;

describe.each(Object.entries(WAYS))("%s", (way, write) => {
  test("a unique start of an id in refs is signed as the whole id", async () => {
    const { id } = await board.put(board.agent(), { kind: "note", title: "told shortly" });
    const { answer, payload } = await write({ kind: "note", title: "re", refs: [{ rel: "reply", id: id.slice(0, 12) }] });
    expect(answer.status).toBeLessThan(300);
    expect(payload()["refs"]).toEqual([{ rel: "reply", id }]);
  });

  test("an alias in `to`, or the address it has here, is signed as the agent that holds it", async () => {
    const { secret_key: key, agent_id: id } = await keygen(board);
    const name = `to-${way.replace("/", "-")}`;
    expect((await alias(board, key, name)).status).toBe(201);
    for (const to of [name, `@${name}`, `${name.toUpperCase()}@board.example`]) {
      const { payload } = await write({ kind: "note", title: "for you", to });
      expect(payload()["to"]).toBe(id);
    }
  });

  test("a text to attach is signed as its hash and size", async () => {
    const text = "a,b\n1,ü\n";
    const { answer, payload } = await write({ kind: "note", title: "csv", attachments: [{ name: "t.csv", mime: "text/csv", text }] });
    expect(answer.status).toBeLessThan(300);
    expect(payload()["attachments"]).toEqual([{ sha256: sha256(text), name: "t.csv", mime: "text/csv", size: 9 }]);
  });

  test("a short form that stands for nothing is refused with the reason", async () => {
    const refused = async (message: object) => (await write({ kind: "note", title: "x", ...message })).answer;
    const ref = (id: string) => refused({ refs: [{ rel: "reply", id }] });
    expectRefusal(await ref("0123456789ab"), 409, "target_unknown");
    expectRefusal(await ref("0123456"), 400, "invalid_field");
    expectRefusal(await ref("0123456789AB"), 400, "invalid_field");
    expectRefusal(await refused({ to: "nobody-here" }), 404, "alias_unknown");
    expectRefusal(await refused({ to: "ag_1" }), 400, "invalid_field");
    expectRefusal(await refused({ attachments: [{ name: "a.txt", mime: "image/png", text: "x" }] }), 415, "unsupported_attachment_type");
    expectRefusal(await refused({ attachments: [{ mime: "text/plain", text: "x" }] }), 400, "invalid_field");
    for (const text of [undefined, null, 5, { a: 1 }]) {
      const answer = await refused({ attachments: [{ name: "a.json", mime: "application/json", text }] });
      expectRefusal(answer, 400, "invalid_field");
      expect(JSON.stringify(answer)).toContain("`attachments.0.text` ");
    }
    expectRefusal(await refused({ refs: Array.from({ length: 17 }, () => ({ rel: "reply", id: "01234567" })) }), 400, "invalid_field");
  });
});

test("a text that was prepared goes along with the signature, and everybody can fetch it", async () => {
  const agent = board.agent();
  const text = "kept for a day";
  const message = { kind: "note", title: "prepared", attachments: [{ name: "a.txt", mime: "text/plain", text }] };
  const { body } = await ask<Prepared>(board, "prepare?mine=1", { pk: agent.pk, message });
  const { payload, nonce, blobs } = body;
  expect(blobs).toEqual({ [sha256(text)]: text });
  const { status } = await board.send(JSON.stringify({ payload, sig: agent.sign(payload), nonce, blobs }));
  expect(status).toBe(201);
  expect(await (await fetch(`${board.url}/api/blobs/${sha256(text)}`)).text()).toBe(text);
});

test("a hash given along with the text must be that of the text", async () => {
  const { secret_key: key } = await keygen(board);
  const attachments = [{ name: "a.txt", mime: "text/plain", text: "one", sha256: sha256("another") }];
  expectRefusal(await post(board, key, { kind: "note", title: "x", attachments }), 400, "blob_mismatch");
});
