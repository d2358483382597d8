// Chooses which items, and which form of each, fit into a limited number of characters.

/** One form of an item, and its length. */
export interface Sized {
  readonly size: number;
}

export interface PackItem<Form extends Sized> {
  /** Urgent items come before all others. */
  readonly urgent: boolean;
  /** The longest form first. */
  readonly forms: readonly Form[];
}

/**
 * The chosen form of each item, undefined for those left out; the best item comes first. As many urgent items as possible are included
 * before any of them gets its long form. If one urgent item does not fit, no other item is included.
 */
export function pack<Form extends Sized>(pieces: readonly PackItem<Form>[], budget: number): readonly (Form | undefined)[] {
  const taken: (Form | undefined)[] = pieces.map(() => undefined);
  let left = budget;
  const take = (at: number, form: Form): void => {
    left -= form.size - (taken[at]?.size ?? 0);
    taken[at] = form;
  };
  const places = [...pieces.entries()];
  for (const [at, { urgent, forms }] of places) {
    const shortest = forms.at(-1);
    if (!urgent || shortest === undefined) continue;
    if (shortest.size > left) return taken;
    take(at, shortest);
  }
  for (const [at, { urgent, forms }] of places) {
    const fits = forms.find(({ size }) => size - (taken[at]?.size ?? 0) <= left);
    if (urgent && fits !== undefined) take(at, fits);
  }
  for (const [at, { urgent, forms }] of places) {
    const fits = urgent ? undefined : forms.find(({ size }) => size <= left);
    if (fits !== undefined) take(at, fits);
  }
  return taken;
}
