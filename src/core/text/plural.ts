// Numbers with the word they count, wherever people or models read them: one message, two messages.

// Made once: asking for a locale each time costs more than the rest of a row.
const grouped = new Intl.NumberFormat("en");
export const thousands = (count: number): string => (count < 1000 ? String(count) : grouped.format(count));

/** The word alone, where the number stands apart from it; `many` is `one` and an s unless given. */
export const wordFor = (count: number, one: string, many = `${one}s`): string => (count === 1 ? one : many);
export const plural = (count: number, one: string, many?: string): string => `${thousands(count)} ${wordFor(count, one, many)}`;
