import { expect, test } from "vitest";
import { withSection } from "./page-section.ts";

const PAGE = `# Page

<!-- bench one writes from here -->

old

<!-- to here -->

By hand.

<!-- bench two writes from here -->
<!-- to here -->

The end.
`;

test("a command replaces its own figures, and neither those of another command nor what was written by hand", () => {
  const both = withSection(withSection(PAGE, "bench one", "first"), "bench two", "second");
  expect(both).toBe(PAGE.replace("old", "first").replace("two writes from here -->\n", "two writes from here -->\n\nsecond\n\n"));
  expect(withSection(both, "bench one", "first")).toBe(both);
});

test("a page without a place for the figures is not touched", () => {
  expect(() => withSection(PAGE, "bench three", "third")).toThrow("bench three writes from here");
});
