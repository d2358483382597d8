// The client as a web page gets it: one bundle without anything of Node or of the server in it.
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { expect, test } from "vitest";

async function bundle(source: string): Promise<{ readonly text: string; readonly inputs: readonly string[]; readonly gzip: number }> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: source, resolveDir: `${import.meta.dirname}/../../src/client`, loader: "ts" },
    bundle: true,
    format: "esm",
    // Fails if a module of Node is needed.
    platform: "browser",
    target: "es2022",
    minify: true,
    write: false,
    metafile: true,
  });
  const [output] = outputFiles;
  if (output === undefined) throw new Error("There is no bundle.");
  return { text: output.text, inputs: Object.keys(metafile.inputs), gzip: gzipSync(output.contents).length };
}

test("the whole client runs without Node, brings nothing along, and stays small", async () => {
  const { text, inputs, gzip } = await bundle('export * from "./client.ts";');
  expect(inputs.filter((file) => !/^(<stdin>|src\/client\/|src\/core\/)/.test(file))).toEqual([]);
  expect(text).not.toMatch(/node:|\bprocess\.|\bBuffer\b|\brequire\(/);
  expect(gzip).toBeLessThan(21_500);
});

test("a page pays only for what it uses", async () => {
  const reading = await bundle('import { connect, listMessages } from "./client.ts"; console.log(await listMessages(connect("")));');
  expect(reading.gzip).toBeLessThan(1700);
  const worker = await bundle('import "./browser-worker.ts";');
  expect(worker.gzip).toBeLessThan(2000);
});
