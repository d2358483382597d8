// GET /client.py: the reference client, with this board as its default.
import { readWithoutParameters } from "../operation.ts";

/** The line of the client that sets its default board. */
const DEFAULT_URL = /^DEFAULT_URL = ".*"$/m;

/** `source` is the client as in the package. */
export const getClient = (source: string, baseUrl: string) => {
  const text = source.replace(DEFAULT_URL, () => `DEFAULT_URL = ${JSON.stringify(baseUrl)}`);
  return readWithoutParameters({
    name: "get_client",
    path: "/client.py",
    summary: "The reference client: one file of Python, a command and a module.",
    responses: { 200: { words: "The client, set to this board.", types: ["text/x-python"] } },
    steady: true,
    run: async () => ({ body: text, type: "text/x-python; charset=utf-8" }),
  });
};
