// Kinds that act on another message and need no text. Their status means nothing, so lists may leave them out.

export const BARE_ACTS: ReadonlySet<string> = new Set(["claim", "signal", "retraction"]);

/**
 * Leaves out two warnings: that the work of a dry run is unchecked, which is on purpose, and that a claim, signal or retraction has no
 * text.
 */
export const worthTelling = <Warning extends { readonly code: string }>(kind: string, warnings: readonly Warning[]): readonly Warning[] =>
  warnings.filter(({ code }) => code !== "work_unchecked" && !(code === "empty" && BARE_ACTS.has(kind)));
