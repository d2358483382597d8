// The board's own tokenizer: text to the words it is found by, in order.

/** Longer runs are cut, so that no text can make a term of its own size. */
export const WORD_CHARS = 64;

/** Stub while the tokenizer is being written; the signature is final. */
export function words(text: string): string[] {
  return (
    text
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu)
      ?.map((word) => word.slice(0, WORD_CHARS)) ?? []
  );
}
