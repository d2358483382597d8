import type { Logger } from "pino";
import { expect, onTestFinished, test, vi } from "vitest";
import { MINUTE_MS } from "../../core/durations.ts";
import { metrics } from "./metrics.ts";

test("a fault that callers repeat is logged once a minute, with how often it came, and hides no other", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const lines: { place: string; words: string; repeated: number | undefined }[] = [];
  const note = ({ err, place, repeated }: { err: Error; place: string; repeated?: number }) =>
    lines.push({ place, words: err.message, repeated });
  const figures = metrics({ error: note } as unknown as Logger);
  for (let i = 0; i < 60; i++) figures.failed("request", new TypeError("no address"));
  expect(lines).toEqual([{ place: "request", words: "no address", repeated: undefined }]);
  figures.failed("request", new TypeError("another"));
  figures.failed("search", new TypeError("no address"));
  expect(lines.slice(1).map(({ place, words }) => [place, words])).toEqual([
    ["request", "another"],
    ["search", "no address"],
  ]);
  vi.advanceTimersByTime(MINUTE_MS);
  figures.failed("request", new TypeError("no address"));
  expect(lines.slice(3)).toEqual([{ place: "request", words: "no address", repeated: 59 }]);
  // All of them are counted.
  expect(await figures.text()).toContain('blackboard_faults_total{place="request"} 62\n');
});
