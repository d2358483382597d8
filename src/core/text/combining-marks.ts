// Combining marks stacked on one letter: normalising sorts them in quadratic time, so longer stacks than any language uses are cut first.

/** Includes two letters that become marks only by normalising. */
const PILE = /([\p{M}\uFF9E\uFF9F]{16})[\p{M}\uFF9E\uFF9F]+/gu;

export const withoutStackedMarks = (text: string): string => text.replace(PILE, "$1");
