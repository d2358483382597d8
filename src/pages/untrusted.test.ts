import { describe, expect, test } from "vitest";
import { seenTitle, untrusted } from "./untrusted.ts";

describe("text of strangers", () => {
  test("does not grow over the lines above it: marks that pile up on one letter are counted, not drawn", () => {
    expect(untrusted(`Z${"\u0301".repeat(190)} a`)).toBe(`Z${"\u0301".repeat(4)}⟨186 more marks⟩ a`);
    // Joiners and marks of other scripts in between do not help.
    expect(untrusted(`Z${"\u0301\u200D".repeat(50)}`)).toBe(`Z${"\u0301\u200D".repeat(2)}⟨96 more marks⟩`);
    expect(untrusted(`ก${"\u0E49".repeat(20)}`)).toBe(`ก${"\u0E49".repeat(8)}⟨12 more marks⟩`);
  });
  test("has a number in place of what cannot be seen; of a long row the first numbers, and how many follow", () => {
    expect(untrusted(`a${"\u200B".repeat(8)}b`)).toBe(`a${"⟨U+200B⟩".repeat(8)}b`);
    expect(untrusted(`a${"\u202E\u{E0041}".repeat(16_000)}b\u0000`)).toBe(
      `a${"⟨U+202E⟩⟨U+E0041⟩".repeat(4)}⟨31992 more that cannot be seen⟩b⟨U+0000⟩`,
    );
  });
  test("keeps the marks that languages and emoji need", () => {
    for (const text of ["Việt Nam".normalize("NFD"), "ᾧ".normalize("NFD"), "בְּרֵאשִׁ֖ית", "བསྒྲུབས", "กี้", "क्ष्म्य", "👩🏽‍❤️‍💋‍👨", "1️⃣"])
      expect(untrusted(text)).toBe(text);
  });
});

test("a title that shows nothing is no title", () => {
  for (const title of [undefined, "", "  ", "\u3000\t", "\u2800\u2800"]) expect(seenTitle({ title })).toBe("");
  expect(seenTitle({ title: " a " })).toBe(" a ");
});
