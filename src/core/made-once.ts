// Values that are made when they are first needed.

/** Calls `make` once and then drops it: the value may be kept longer than what it is made from. */
export function madeOnce<Value>(make: () => Value): () => Value {
  let source: (() => Value) | undefined = make;
  let made: Value | undefined;
  return () => {
    if (source !== undefined) made = source();
    source = undefined;
    return made as Value;
  };
}
