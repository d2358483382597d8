// Any well-formed text, with characters that are hard for parsers more often than by chance.
import { array, constantFrom, integer, oneof, type Arbitrary } from "fast-check";

const character = oneof(
  integer({ min: 0x20, max: 0x7e }),
  integer({ min: 0, max: 0xd7ff }),
  integer({ min: 0xe000, max: 0x10ffff }),
  constantFrom(0x00, 0x22, 0x5c, 0x7b, 0x7d, 0x5b, 0x2c, 0x7f, 0x2028, 0xfeff, 0xfffd, 0xffff, 0x10000),
);

export const anyText: Arbitrary<string> = array(character, { maxLength: 40 }).map((codes) => String.fromCodePoint(...codes));
