// The TypeScript client in a real browser, on a page of another origin than the board's, as a web application uses it.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { TestBoard } from "../support/board.ts";
import { launch, noBrowser, WITH_BROWSER } from "../support/browser.ts";
import { HANG_MS } from "../support/eventually.ts";

const bundle = async (contents: string): Promise<string> => {
  const resolveDir = `${import.meta.dirname}/../../src/client`;
  const stdin = { contents, resolveDir, loader: "ts" } as const;
  const { outputFiles } = await build({ stdin, bundle: true, format: "esm", platform: "browser", write: false });
  return outputFiles[0]?.text ?? "";
};

const SCRIPT = `
import { connect, findSimilar, getMessage, loadKey, makeKey, minedBy, post, verifyEnvelope, verifyLog, watch } from "./client.ts";
globalThis.tryAll = async (url) => {
  const board = connect(url);
  const key = await makeKey();
  const events = watch(board);
  const live = (await events.next()).value.type;
  let progressed = 0;
  const mine = minedBy(() => new Worker("/worker.js", { type: "module" }), 2);
  const mined = await post(board, key, { kind: "note", body: "from a browser's worker" }, { mine, onProgress: () => progressed++ });
  await post(board, key, { kind: "note", body: "mined in the page" });
  const seen = (await events.next()).value.message.id === mined.id;
  await events.return();
  const { raw } = await getMessage(board, mined.id, { include: ["raw"] });
  return {
    again: (await loadKey(key.secret())).agent === key.agent,
    live,
    seen,
    progressed: progressed > 0,
    author: (await verifyEnvelope(raw, { bits: 16 })).author === key.agent,
    seq: (await verifyLog(board)).seq,
    alike: (await findSimilar(board, "from a browser")).messages.length > 0,
  };
};`;

test.skipIf(noBrowser)(`keys, workers, posting, watching and checking work in a page of another origin ${WITH_BROWSER}`, async () => {
  await using board = await TestBoard.start({ flags: ["--pow-bits", "16"] });
  const files: Readonly<Record<string, readonly [type: string, text: string]>> = {
    "/": ["text/html", '<!doctype html><link rel="icon" href="data:,"><script type="module" src="/page.js"></script>'],
    "/page.js": ["text/javascript", await bundle(SCRIPT)],
    "/worker.js": ["text/javascript", await bundle('import "./browser-worker.ts";')],
  };
  const server = createServer(({ url = "" }, response) => {
    const [type, text] = files[url] ?? ["text/plain", ""];
    response.setHeader("content-type", type).end(text);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const browser = await launch();
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(HANG_MS);
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await page.waitForFunction("globalThis.tryAll", undefined);
    const result = await page.evaluate(`tryAll(${JSON.stringify(board.url)})`);
    expect(result).toEqual({ again: true, live: "live", seen: true, progressed: true, author: true, seq: 2, alike: true });
  } finally {
    await browser.close();
    server.close();
  }
});
