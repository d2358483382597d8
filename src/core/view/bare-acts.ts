// Kinds that are all said by being done: they have no status worth showing, need no words, and stand between what matters.

export const BARE_ACTS: ReadonlySet<string> = new Set(["claim", "signal", "retraction"]);
