import { expect, test } from "vitest";
import { NOTE as stored, NOW } from "../../test/support/recordable-note.ts";
import { recordOf } from "../core/view/record.ts";
import { cachedRows } from "./message-row.ts";

test("a row shows the words of a text, without the marks of Markdown, and its kind once", () => {
  const body = "# Pegel\n\n> Der **Pegel** misst `mm`.\n\n```js\nx = a * b ** c\n```\n2 * 3 = 6";
  const raw = { ...stored.raw, payload: JSON.stringify({ v: 1, pk: "", ts: NOW / 1000, kind: "note", body }) };
  const { text } = cachedRows()(
    { ...stored, state: { ...stored.state }, raw },
    () => recordOf({ ...stored, raw }, new Set(["preview"]), NOW, "http://board.test"),
    { now: NOW },
  );
  expect(text).toContain(">Pegel Der Pegel misst mm. x = a * b ** c 2 * 3 = 6</a>");
  expect(text.match(/Note/g)).toHaveLength(1);
});

test("whatever a listing notes beside a message is text, as the message itself is", () => {
  const row = cachedRows();
  const record = () => recordOf(stored, new Set(), NOW, "http://board.test");
  for (let i = 0; i < 2; i++) {
    const { text } = row(stored, record, { now: NOW, note: `<img src=x onerror="alert('1')">` });
    expect(text).toContain("&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;");
    expect(text).toContain("&lt;i&gt;title&lt;/i&gt;");
    expect(text).not.toMatch(/<img|<i>/);
  }
});
