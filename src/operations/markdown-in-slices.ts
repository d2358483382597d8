// Messages as a Markdown document, written in slices, because a page of long messages takes long.
import type { Fence } from "../core/view/fence.ts";
import { hasStrangers, markdownOf, type MarkdownRecord, messageWriter } from "../core/view/markdown.ts";
import type { TombstoneRecord } from "../core/view/record.ts";
import { sliced } from "../ports/cpu-slices.ts";

export async function markdownInSlices(
  heading: string,
  lines: readonly string[],
  records: readonly (MarkdownRecord | TombstoneRecord)[],
  marks: Fence,
): Promise<string> {
  const texts: string[] = [];
  const write = messageWriter(marks);
  await sliced(records, (one) => void texts.push(write(one)));
  return markdownOf(heading, lines, texts, hasStrangers(records) ? marks : undefined);
}
