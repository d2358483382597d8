import { expect, test } from "vitest";
import { plainLine, plainTitle, shortened } from "./plain-line.ts";

test("the marks of Markdown are removed, and what only looks like one stays", () => {
  expect(plainLine("## **Bold** and `code`, see [the page](https://a.example/b)")).toBe("Bold and code, see the page");
  expect(plainLine("- [ ] first\n- second\n> quoted")).toBe("first second quoted");
  expect(plainLine("2 * 3 * 4 = x ** y, a[0](b c)")).toBe("2 * 3 * 4 = x ** y, a[0](b c)");
});

test("a text of nothing but opening brackets is read once and not once for each: a link's words begin at the last of them", () => {
  expect(plainLine("[[[the page](https://a.example/b)")).toBe("[[the page");
  expect(plainLine("see [a ![page](https://a.example/b)](/c)")).toBe("see [a page](/c)");
});

test("a message without a title is called by its first line that says something", () => {
  expect(plainTitle({ title: "# Mine", body: "x" })).toBe("# Mine");
  expect(plainTitle({ title: " ", body: "\n```js\n\n# `run()` it\nmore" })).toBe("run() it");
  expect(plainTitle({ body: "***" })).toBe("***");
  expect(plainTitle({})).toBe("");
});

test("a text is cut after a whole word, and no letter is cut in two", () => {
  expect(shortened("one two three", 9)).toBe("one two…");
  expect(shortened("🎈".repeat(9), 3)).toBe("🎈🎈🎈…");
});
