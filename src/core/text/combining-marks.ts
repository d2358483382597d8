// Marks piled on one letter: normalising sorts them in quadratic time, so a pile that no language makes is cut before.

/** With the two letters that only normalising turns into marks. */
const PILE = /([\p{M}\uFF9E\uFF9F]{16})[\p{M}\uFF9E\uFF9F]+/gu;

export const withoutPiles = (text: string): string => text.replace(PILE, "$1");
