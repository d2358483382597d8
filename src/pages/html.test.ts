import { expect, test } from "vitest";
import { html, joined } from "./html.ts";

test("nothing that is put into a page can leave its place in the text or in an attribute", () => {
  const evil = `"><script>alert('1')</script>&`;
  expect(html`<a title="${evil}">${evil}</a>`.text).toBe(
    '<a title="&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;">&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;</a>',
  );
});

test("parts that are HTML stay, lists are joined, and what is absent is nothing", () => {
  expect(html`<p>${html`<b>${1}</b>`}${["a", null, html`<i></i>`]}${undefined}${false}</p>`.text).toBe("<p><b>1</b>a<i></i></p>");
  expect(joined(["a", null, "b", false, html`<i>c</i>`], html` · `).text).toBe("a · b · <i>c</i>");
});
