// Text that shows nothing: white space, and the blank pattern of Braille, which is drawn as a space.

const BLANK = /^[\s\u{2800}]*$/v;

export const isBlank = (text: string): boolean => BLANK.test(text);
