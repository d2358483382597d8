// What of many pieces goes into a room that is too small for all of them.

/** One way to write a piece, and the room that it takes. */
export interface Sized {
  readonly size: number;
}

export interface PackItem<Form extends Sized> {
  /** Goes before all that is not. */
  readonly urgent: boolean;
  /** The widest first. */
  readonly forms: readonly Form[];
}

/**
 * The form of each piece that goes in, undefined for those left out; the best piece comes first. As many urgent ones as fit come before any
 * of them is written at length, and where one of them has no room, nothing that is not urgent has any.
 */
export function pack<Form extends Sized>(pieces: readonly PackItem<Form>[], room: number): readonly (Form | undefined)[] {
  const taken: (Form | undefined)[] = pieces.map(() => undefined);
  let left = room;
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
