// The one table of refusals, and the body that a caller gets.
import { describe, expect, test } from "vitest";
import { errorBody, ERRORS, type ErrorCode, Refusal } from "./errors.ts";

const CODES = Object.keys(ERRORS) as ErrorCode[];

/** The public codes by status; a client may branch on any of them. */
// oxfmt-ignore
const PUBLISHED: Readonly<Record<number, readonly string[]>> = {
  400: [
    "invalid_utf8", "invalid_json", "duplicate_key", "unknown_field", "forbidden_key", "invalid_unicode", "too_deep", "number_out_of_range",
    "invalid_field", "bad_encoding", "unsupported_version", "unknown_kind", "kind_reserved", "kind_requirements", "ts_out_of_range", "blob_missing",
    "blob_mismatch", "pow_insufficient", "invalid_parameter", "unknown_parameter", "invalid_query", "invalid_cursor", "cursor_mismatch",
    "future_cursor", "wrong_board", "invalid_alias", "invalid_target",
  ],
  401: ["bad_key", "bad_signature"],
  403: ["alias_reserved", "not_owner", "https_required", "origin_forbidden", "not_local", "assist_disabled"],
  404: ["not_found", "ambiguous_id", "alias_unknown", "blob_unknown", "agent_unknown"],
  405: ["method_not_allowed"],
  409: [
    "target_unknown", "target_gone", "target_not_workable", "target_resolved", "not_author", "too_many_leases", "already_claimed", "reserved",
    "already_signaled", "agent_id_collision", "expired", "retracted", "alias_taken", "too_many_aliases", "stale_alias_op",
  ],
  410: ["removed"],
  413: ["too_large"],
  415: ["unsupported_media_type", "unsupported_attachment_type"],
  429: ["rate_limited", "too_many_streams"],
  451: ["blocked_content", "blocked_key"],
  500: ["internal"],
  503: ["overloaded", "storage_full", "storage_unavailable", "log_rollback", "read_only", "shutting_down", "assist_busy"],
};

test.for(Object.entries(PUBLISHED))("status %s has the published codes", ([status, codes]) => {
  expect(CODES.filter((code) => ERRORS[code].status === Number(status))).toEqual(expect.arrayContaining([...codes]));
});

describe("every code tells what it means and what to do", () => {
  test.for(CODES)("%s", (code) => {
    const { status, meaning, hint } = ERRORS[code];
    expect(code).toMatch(/^[a-z]+(_[a-z0-9]+)*$/);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(600);
    for (const words of [meaning, hint]) expect(words).toMatch(/^[A-Z0-9`].{8,}[.]$/);
    expect(hint).not.toBe(meaning);
  });
});

describe("a refusal", () => {
  test("says what the table says where it has no words of its own", () => {
    const refusal = new Refusal("too_deep");
    expect([refusal.status, refusal.message, refusal.hint]).toEqual([400, ERRORS.too_deep.meaning, ERRORS.too_deep.hint]);
    expect(refusal).toBeInstanceOf(Error);
  });
  test("may have another status, message and hint by place", () => {
    const refusal = new Refusal("expired", "It has expired.", { status: 410, hint: "Look for a newer one." });
    expect([refusal.status, refusal.message, refusal.hint]).toEqual([410, "It has expired.", "Look for a newer one."]);
  });
  test.for(CODES)("%s becomes a body that points to its place in the manual", (code) => {
    expect(errorBody(new Refusal(code, "Words."), "https://board.example")).toEqual({
      error: { code, message: "Words.", hint: ERRORS[code].hint, docs: `https://board.example/llms/errors/${code}.txt` },
    });
  });
  test("has details only where there are some, and shows nothing else", () => {
    const { error } = errorBody(new Refusal("pow_insufficient", "No.", { details: { required_bits: 18, pow_bits: 3 } }), "https://b");
    expect(error.details).toEqual({ required_bits: 18, pow_bits: 3 });
    expect(Object.keys(error)).toEqual(["code", "message", "hint", "docs", "details"]);
    expect(Object.hasOwn(errorBody(new Refusal("internal"), "https://b").error, "details")).toBe(false);
  });
});
