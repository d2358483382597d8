// The words of a key, laid out to be copied by hand: numbered, four in a row.

const ROW = 4;
/** The longest word has eight letters. */
const WIDTH = 8;

export function wordTable(words: string): string {
  const cells = words.split(" ").map((word, i) => `${String(i + 1).padStart(2)} ${word.padEnd(WIDTH)}`);
  const rows = Array.from({ length: Math.ceil(cells.length / ROW) }, (_, i) => cells.slice(i * ROW, (i + 1) * ROW).join("  "));
  return rows.map((row) => `  ${row.trimEnd()}\n`).join("");
}
