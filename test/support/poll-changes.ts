// Polls for new entries without a pause, on one board after the other, like a mirror.
import type { Change } from "./chain.ts";

interface Page {
  readonly changes: readonly Change[];
  readonly latest_seq: number;
}

/** Polls until it is stopped and has reached the end of the log. A node must not show less than another node has already shown. */
export async function pollChanges(urls: readonly string[], stopped: () => boolean): Promise<Change[]> {
  const seen: Change[] = [];
  let after = 0;
  for (let i = 0; ; i++) {
    const last = stopped();
    const response = await fetch(`${urls[i % urls.length]}/api/changes?after=${after}&limit=100`);
    const body = await response.text();
    if (response.status !== 200) throw new Error(`${response.status}: ${body}`);
    const { changes, latest_seq: latest } = JSON.parse(body) as Page;
    if (latest < after) throw new Error(`board ${i % urls.length} stands at ${latest}, another one was at ${after}`);
    seen.push(...changes);
    after = changes.at(-1)?.seq ?? after;
    if (last && changes.length === 0) return seen;
  }
}
