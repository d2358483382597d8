// Describes messages as acts, for pages: who did what, to what, and in which thread.
import { iso } from "../../core/protocol/time.ts";
import { senderOf } from "../../core/mail/email.ts";
import { senderWords } from "../../core/view/email-sender.ts";
import { outlineOf } from "../../core/view/outline.ts";
import { RELS } from "../../core/protocol/vocabulary.ts";
import type { Happening } from "../../pages/recent-activity.ts";
import { mapInSlices } from "../../ports/cpu-slices.ts";
import type { StoredMessage } from "../../ports/store.ts";
import { type TitleRoots, titleOf } from "./page-helpers.ts";

export async function happeningsOf(storedMessages: readonly StoredMessage[], titleRoots: TitleRoots): Promise<readonly Happening[]> {
  const acts = await mapInSlices(storedMessages, (stored) => {
    const { payload } = outlineOf(stored);
    const { kind, refs = [] } = payload;
    const sender = kind === "email" ? senderWords(senderOf(payload)) : undefined;
    return { stored, sender, ref: refs.find((one) => RELS[one.rel].thread), own: titleOf(stored) };
  });
  const titles = await titleRoots(
    storedMessages,
    acts.flatMap(({ ref }) => (ref === undefined ? [] : [ref.id])),
  );
  return acts.map(({ stored, sender, ref, own }) => {
    const { id, author, kind, root, receivedAt, signal } = stored.state;
    const known = root === id ? undefined : titles.get(root);
    const target = ref === undefined ? undefined : titles.get(ref.id);
    return { id, author, sender, kind, rel: ref?.rel ?? null, signal, at: iso(receivedAt), own, target, root: known };
  });
}
