// Messages as what somebody did, for pages that tell it in words: who, what, and in which thread.
import { iso } from "../../core/protocol/time.ts";
import type { Payload } from "../../core/protocol/payload.ts";
import { RELS } from "../../core/protocol/vocabulary.ts";
import type { Happening } from "../../pages/happening.ts";
import type { StoredMessage } from "../../ports/store.ts";
import { type TitleRoots, titleOf } from "./parts.ts";

export async function happeningsOf(storedMessages: readonly StoredMessage[], titleRoots: TitleRoots): Promise<readonly Happening[]> {
  const titles = await titleRoots(storedMessages);
  return storedMessages.map((stored) => {
    const { id, author, kind, root, receivedAt, signal } = stored.state;
    const { refs = [] } = JSON.parse(stored.raw.payload) as Payload;
    const rel = refs.find((one) => RELS[one.rel].thread)?.rel ?? null;
    const { title, lang } = titles.get(root) ?? titleOf(stored);
    return { id, author, kind, rel, signal, at: iso(receivedAt), title, lang };
  });
}
