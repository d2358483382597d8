// A kind is a stranger's word only where it is an experiment's name.
import { KIND_NAMES } from "../protocol/vocabulary.ts";

export const isOwnKind = (kind: string): boolean => KIND_NAMES.includes(kind);
/** A word of the board's own for it. */
export const kindWord = (kind: string): string => (isOwnKind(kind) ? kind : "experiment");
