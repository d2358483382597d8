// Characters that are drawn as a blank: white space, and others that fonts draw without ink.

/**
 * For the inside of a class, with the flag `v`: white space, the blank pattern of Braille, the blanks of Egyptian hieroglyphs, the filler of
 * Khitan and the note without a head. Fillers that may be left out in drawing count as invisible, not as blank.
 */
export const BLANKS = String.raw`\s\u{2800}\u{13441}\u{13442}\u{16FE4}\u{1D159}`;

/** Joiners and variation selectors: letters and emoji need them, so they are shown as they are, and alone they show nothing. */
export const SILENT = String.raw`\u{200C}\u{200D}\u{FE0E}\u{FE0F}`;

const ONLY_BLANKS = new RegExp(`^[${BLANKS}${SILENT}]*$`, "v");

/** Whether a text shows nothing. */
export const isBlank = (text: string): boolean => ONLY_BLANKS.test(text);
