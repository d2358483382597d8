// Numbers with the noun they count: one message, two messages.

// Made once: creating a formatter costs more than the rest of a row.
const grouped = new Intl.NumberFormat("en");
export const thousands = (count: number): string => (count < 1000 ? String(count) : grouped.format(count));

/** The noun alone, if the number is elsewhere; `many` is `one` and an s unless given. */
export const wordFor = (count: number, one: string, many = `${one}s`): string => (count === 1 ? one : many);
export const plural = (count: number, one: string, many?: string): string => `${thousands(count)} ${wordFor(count, one, many)}`;
