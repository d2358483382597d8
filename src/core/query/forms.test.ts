// Forms of parameters that people get wrong, and what the board makes of them.
import { describe, expect, test } from "vitest";
import { timeMs } from "../protocol/time.ts";
import { moment } from "./forms.ts";

describe("a time with an offset", () => {
  const at = timeMs("2026-01-31T10:00:00Z");
  test.each(["2026-01-31T12:00:00+02:00", "2026-01-31T12:00:00 02:00", "2026-01-31T12:00 02:00", "2026-01-31T08:00:00-02:00"])(
    "%s is understood, also if the address had a `+` that was not encoded",
    (text) => expect(moment.parse(text)).toEqual({ at }),
  );
  test.each(["2026-01-31 02:00", "2026-01-31T12:00:00  02:00", "2026-01-31T12:00:00 Z", "T 02:00"])("%s is not", (text) =>
    expect(moment.safeParse(text).success).toBe(false),
  );
});
