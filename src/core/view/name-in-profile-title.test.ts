import { expect, test } from "vitest";
import { nameIn } from "./name-in-profile-title.ts";

test("a name is what can be seen of a title, in one line, never in the form of an alias, and short", () => {
  expect(nameIn(" Kestrel\n the  second ")).toBe("Kestrel the second");
  for (const title of ["@admin", "＠admin", "@ ﹫admin"]) expect(nameIn(title)).toBe("admin");
  expect(nameIn("W".repeat(200))).toBe("W".repeat(32));
  for (const title of ["", " ", "@", "\u2800\u2800"]) expect(nameIn(title)).toBeUndefined();
});
