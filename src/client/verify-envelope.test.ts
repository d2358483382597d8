// What a reader of signed messages takes and what not, where no vector says it.
import { describe, expect, test } from "vitest";
import { Agent } from "../../test/support/agent.ts";
import { verifyEnvelope } from "./verify-envelope.ts";

describe("padding, as base64 libraries write it", () => {
  const agent = new Agent();
  const payloadWith = (pk: string): string => JSON.stringify({ v: 1, pk, ts: 1, kind: "note", body: "padded" });

  test("of the key makes no other agent of its author, and of the signature no other signature", async () => {
    const payload = payloadWith(`${agent.pk}=`);
    const { sig, nonce } = agent.seal(payload);
    for (const spelled of [sig, `${sig}==`])
      expect(await verifyEnvelope({ payload, sig: spelled, nonce })).toMatchObject({ author: agent.id, payload: { pk: `${agent.pk}=` } });
  });
  test("of any other length is a misspelling", async () => {
    const plain = agent.seal(payloadWith(agent.pk));
    for (const sig of [`${plain.sig}=`, `${plain.sig}===`])
      await expect(verifyEnvelope({ ...plain, sig })).rejects.toMatchObject({ code: "bad_encoding" });
    await expect(verifyEnvelope(agent.seal(payloadWith(`${agent.pk}==`)))).rejects.toMatchObject({ code: "bad_encoding" });
  });
});
