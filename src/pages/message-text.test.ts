import { describe, expect, test } from "vitest";
import { cachedTexts, renderMarkdown } from "./message-text.ts";

const of = (text: string): string => renderMarkdown(text).text;

describe("the text of a message", () => {
  test("may be formatted, but not with HTML", () => {
    expect(of("**a** _b_ `c`\n\n- d")).toBe("<p><strong>a</strong> <em>b</em> <code>c</code></p>\n<ul>\n<li>d</li>\n</ul>\n");
    expect(of("<b>a</b><script>x</script>")).toBe("<p>&lt;b&gt;a&lt;/b&gt;&lt;script&gt;x&lt;/script&gt;</p>\n");
  });
  test("links where people can go, without recommending it or saying where they come from", () => {
    expect(of("[a](https://a.example/x?y=1&z=2)")).toContain(
      '<a href="https://a.example/x?y=1&amp;z=2" rel="nofollow ugc noopener noreferrer">a</a>',
    );
    expect(of("https://a.example")).toContain('rel="nofollow ugc noopener noreferrer"');
    expect(of("[a](mailto:x@a.example)")).toContain('href="mailto:x@a.example"');
    for (const bad of ["javascript:alert(1)", "data:text/html,x", "//a.example/x", "/api/stats", "ftp://a.example", "file:///etc"])
      expect(of(`[a](${bad})`), bad).not.toContain("<a");
  });
  test("loads no image: loading one would tell somebody who reads what", () => {
    expect(of("![a picture](https://a.example/x.png)")).toBe(
      '<p><a class="image" href="https://a.example/x.png" rel="nofollow ugc noopener noreferrer">image: a picture</a></p>\n',
    );
    expect(of("![x](javascript:alert(1))")).not.toContain("<a");
  });
  test("keeps its headings below those of the page, without a gap between ranks", () => {
    expect([...of("## a\n\n#### b\n\n###### c\n\n# d").matchAll(/<(h\d)>/g)].map(([, tag]) => tag)).toEqual(["h3", "h4", "h5", "h3"]);
  });
  test("has boxes before what is to be done and what is done, in lists only", () => {
    expect(of("- [ ] buy\n- [x] *sell*\n- [?] ask")).toBe("<ul>\n<li>☐ buy</li>\n<li>☑ <em>sell</em></li>\n<li>[?] ask</li>\n</ul>\n");
    expect(of("[ ] no item")).toBe("<p>[ ] no item</p>\n");
  });
  test("shows what cannot be seen, and leaves alone what belongs to letters and emoji", () => {
    expect(of("a\u202Eb\u200Bc\u{E0041}")).toContain("a⟨U+202E⟩b⟨U+200B⟩c⟨U+E0041⟩");
    expect(of("👩\u200D💻 ❤\uFE0F")).toContain("👩\u200D💻 ❤\uFE0F");
    expect(of(`Z${"&#x301;".repeat(50)}`)).toContain("⟨46 more marks⟩");
  });
  test("is linked where addresses are bare, but not where one word of many would be read again and again", () => {
    expect(of("see https://a.example/x and mailto:x@a.example ".repeat(50)).match(/<a /g)).toHaveLength(100);
    const word = "https://a.b/?c=".repeat(2000);
    expect(of(word)).not.toContain("<a ");
    expect(of(`[a](https://a.example) ${word}`)).toContain('<a href="https://a.example"');
  });
  test("has its bare addresses linked, but not thousands of them, which would hold the board while links are made", () => {
    expect(of("https://a.example/x ".repeat(800)).match(/<a /g)).toHaveLength(800);
    expect(of("http://a ".repeat(3600))).not.toContain("<a ");
  });
  test("that is more marks than prose is shown as it was written", () => {
    expect(of("*".repeat(10_000))).toContain('<p class="plain">****');
  });
  test("that is mostly characters nobody can see is shown with their numbers, but not parsed at many times its length", () => {
    expect(of("**bold** \u2062")).toContain("<strong>bold</strong> ⟨U+2062⟩");
    const shown = of(`**bold** ${"\u2062a".repeat(15_000)}`);
    expect(shown).toContain('<p class="plain">**bold** ⟨U+2062⟩a');
    expect(shown.match(/⟨U\+2062⟩/g)).toHaveLength(15_000);
  });
  test("has its tables, but not one whose empty cells would be many times the text", () => {
    const table = (columns: number, rows: number, before = ""): string =>
      [`|a`.repeat(columns), `|-`.repeat(columns), ...Array<string>(rows).fill("")].map((line) => `${before}${line}|`).join("\n");
    expect(renderMarkdown(table(3, 10)).text).toContain("<td");
    for (const before of ["", "> ", "- "]) {
      const text = table(900, 150, before);
      expect(renderMarkdown(text).text.length).toBeLessThan(4 * text.length);
      expect(renderMarkdown(text).text).not.toContain("<td");
    }
    expect(renderMarkdown(`${table(3, 10)}\n\nprose\n\n${table(3, 10)}`).text.match(/<table/g)).toHaveLength(2);
    expect(renderMarkdown(table(3, 10)).text).toContain("<td");
  });
});

test("the same message is rendered once, however often it is shown", () => {
  const textOf = cachedTexts();
  const said = { id: "a", body: "**x**", format: undefined } as const;
  expect(textOf(said)).toBe(textOf({ ...said }));
  expect(textOf({ id: "b", body: "**x**", format: "plain" }).text).toBe('<p class="plain">**x**</p>');
  expect(textOf({ id: "c", body: '{"a":[1]}', format: "json" }).text).toContain("{\n  &quot;a&quot;: [\n    1\n  ]\n}");
  expect(textOf({ id: "d", body: '{"نص":1}', format: "json" }).text).toContain('dir="ltr"');
});

test("JSON that is mostly nesting is shown as it was written, so that a short text cannot become a page of megabytes", () => {
  const textOf = cachedTexts();
  const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);
  expect(textOf({ id: "a", body: nested(20), format: "json" }).text).toContain("[\n  [\n");
  for (const body of [nested(5000), `{"]]]]":${nested(5000)}}`, `["${"]".repeat(5000)}",${nested(5000)}]`])
    expect(textOf({ id: body, body, format: "json" }).text.length).toBeLessThan(5 * body.length + 1000);
});
