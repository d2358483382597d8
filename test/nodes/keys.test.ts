// A key operation accepted by one node counts on all of them at once: a rotated key can sign nothing on any node, and its successor can on
// every one.
import { afterAll, beforeAll, expect, test } from "vitest";
import { Agent } from "../support/agent.ts";
import { hashOf, type KeyAct, signed, type With } from "../support/key-stage.ts";
import { Nodes, postTo } from "../support/nodes.ts";

let nodes: Nodes;
let board: string;
beforeAll(async () => {
  nodes = await Nodes.start(2);
  ({ board } = (await (await fetch(`${nodes.urls[0]}/api/checkpoint`)).json()) as { board: string });
});
afterAll(() => nodes[Symbol.asyncDispose]());

interface Answered {
  readonly status: number;
  readonly body: { readonly state?: string; readonly error?: { readonly code: string } };
}
async function send(url: string, path: string, envelope: object): Promise<Answered> {
  const answer = await fetch(url + path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(envelope),
  });
  return { status: answer.status, body: (await answer.json()) as Answered["body"] };
}
let second = 0;
async function act(url: string, signer: Agent, about: Agent, what: KeyAct, more: With = {}): Promise<string> {
  const { status, body } = await send(url, "/api/keys", signed(signer, about, what, board, Date.now() + second++ * 1000, more));
  return status === 201 ? (body.state ?? "") : (body.error?.code ?? String(status));
}
const note = async (url: string, agent: Agent): Promise<string> => {
  const { status, body } = await send(url, "/api/messages", agent.envelope({ kind: "note", title: `note ${second++}` }));
  return status === 201 ? "ok" : (body.error?.code ?? String(status));
};

interface KeyHistory {
  readonly current: string;
  readonly operations: readonly { readonly type: string; readonly signer: string }[];
}
/** The answers to the operation that came second. */
const REFUSED: ReadonlySet<string> = new Set(["key_revoked", "key_committed_elsewhere", "not_owner", "stale_key_op", "key_in_use"]);

test("a rotation and a delegation that one node accepted hold on the other at once", async () => {
  const [one = "", other = ""] = nodes.urls;
  const [key, next, child, asker] = [new Agent(), new Agent(), new Agent(), new Agent()];
  expect(await act(one, key, key, { op: "commit", next: hashOf(next) })).toBe("counted");
  const until = Math.floor(Date.now() / 1000) + 3600;
  expect(await act(other, key, key, { op: "delegate", child: child.pk, until, kinds: ["note"] }, { child })).toBe("counted");
  expect([await note(one, child), await note(other, child), await note(other, key)]).toEqual(["ok", "ok", "ok"]);
  const { id } = await postTo(one, asker.envelope({ kind: "task", title: "to hold" }));
  await postTo(other, key.envelope({ kind: "claim", refs: [{ rel: "claims", id }] }));

  expect(await act(one, next, key, { op: "rotate" })).toBe("counted");
  for (const url of [other, one]) {
    expect([await note(url, key), await note(url, child)]).toEqual(["key_revoked", "key_revoked"]);
    expect(await note(url, next)).toBe("ok");
    const { derived } = (await (await fetch(`${url}/api/messages/${id}`)).json()) as { derived: object };
    expect(derived).toMatchObject({ status: "claimed", claimed_by: next.id });
  }
});

test("of two rotations at the same moment on two nodes, one counts, and both nodes agree", async () => {
  const [one = "", other = ""] = nodes.urls;
  const [key, next, recovery, third] = [new Agent(), new Agent(), new Agent(), new Agent()];
  expect(await act(one, key, key, { op: "commit", next: hashOf(next), recovery: hashOf(recovery) })).toBe("counted");
  const history = async (): Promise<KeyHistory> => {
    const [here, there] = await Promise.all(
      [one, other].map(async (url) => (await (await fetch(`${url}/api/agents/${key.id}/keys`)).json()) as KeyHistory),
    );
    expect(there).toEqual(here);
    return here as KeyHistory;
  };
  const types = async (): Promise<string[]> => (await history()).operations.map(({ type, signer }) => `${type} ${signer}`);

  const rotations = await Promise.all([one, other].map((url) => act(url, next, key, { op: "rotate", next: hashOf(third) })));
  expect(rotations.filter((state) => state === "counted")).toHaveLength(1);
  expect(await types()).toEqual([`key_commit ${key.id}`, `key_rotate ${next.id}`]);
  expect(await history()).toMatchObject({ current: next.id });

  // The committed key and the earlier recovery key at once: whichever is first, the recovery key holds the agent.
  const [onward, back] = await Promise.all([act(one, third, next, { op: "rotate" }), act(other, recovery, key, { op: "rotate" })]);
  expect(back).toBe("counted");
  expect(onward === "counted" || REFUSED.has(onward)).toBe(true);
  expect((await types()).includes(`key_rotate ${third.id}`)).toBe(onward === "counted");
  expect(await history()).toMatchObject({ current: recovery.id });
  for (const url of [one, other]) {
    for (const dead of [key, next]) expect(await note(url, dead)).toBe("key_revoked");
    expect(await note(url, recovery)).toBe("ok");
  }
});
