// Paths with parameters in braces, such as `/api/messages/{id}`.

const PARAMETER = /\{(\w+)\}/g;

export const parametersIn = (path: string): readonly string[] => Array.from(path.matchAll(PARAMETER), ([, name = ""]) => name);

/** The path with a text in place of each parameter; `atEnd`: nothing follows the parameter. */
export const filledPath = (path: string, textOf: (name: string, atEnd: boolean) => string): string =>
  path.replaceAll(PARAMETER, (whole, name: string, at: number) => textOf(name, at + whole.length === path.length));
