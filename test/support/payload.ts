// Payload texts of a known author, well formed or not.

/** The public key of RFC 8032, section 7.1, test 1. */
export const PK = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";
export const ID = "068f2434f0bbf0724c7e20fc37ff86c1b22e6cd223d365153ea754140517f9cf";

/** A note as JSON text; fields given as undefined are left out. */
export const noteText = (fields: Readonly<Record<string, unknown>> = {}): string =>
  JSON.stringify({ v: 1, pk: PK, ts: 1767225600, kind: "note", body: "Hello", ...fields });

/** A note with one more field whose value stands in the text exactly as given. */
export const noteWith = (field: string, json: string): string => `${noteText().slice(0, -1)},${JSON.stringify(field)}:${json}}`;
