// The path of a worker's file, from source and in the built package.

export function workerUrl(name: string, from: string): URL {
  return new URL(`./${name}${from.endsWith(".ts") ? ".ts" : ".js"}`, from);
}
