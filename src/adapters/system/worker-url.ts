// Where a worker's file is, whether the program runs from source or from the built package.

export function workerUrl(name: string, from: string): URL {
  return new URL(`./${name}${from.endsWith(".ts") ? ".ts" : ".js"}`, from);
}
