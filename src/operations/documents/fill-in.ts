// A text of the folder `manual`, filled in with the values that this board has.

/** By name; the text of `{{if name}}...{{end}}` is left out where the value is empty. */
export type Values = Readonly<Record<string, string | number>>;

export function fillIn(text: string, values: Values): string {
  const valueOf = (name: string): string => {
    const value = values[name];
    if (value === undefined) throw new Error(`Nothing to fill in for {{${name}}}.`);
    return String(value);
  };
  return text
    .replaceAll(/\{\{if ([\w.]+)\}\}([^]*?)\{\{end\}\}/g, (_whole, name: string, then: string) => (valueOf(name) === "" ? "" : then))
    .replaceAll(/\{\{([\w.]+)\}\}/g, (_whole, name: string) => valueOf(name));
}
