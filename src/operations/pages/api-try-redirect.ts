// GET /docs/try/{name}: submits a form of the documentation, and redirects to the request that it describes.
import { filledPath, parametersIn } from "../../core/text/path-template.ts";
import { type Operation, READ_REFUSALS, readOperation } from "../operation.ts";

/** One for each GET operation; refusals are shown here, in words for people. */
export const tryRequests = (all: readonly Operation[]): readonly Operation[] =>
  all.filter(({ method }) => method === "GET").map(tryRequest);

const tryRequest = ({ name, path, input, refusals }: Operation): Operation =>
  readOperation({
    name: `try_${name}`,
    path: `/docs/try/${name}`,
    summary: `Opens ${path}.`,
    input,
    form: true,
    responses: { 302: { words: "The request.", types: ["text/plain"] } },
    refusals: [...READ_REFUSALS, ...refusals],
    async run({ query }) {
      const inPath = new Set(parametersIn(path));
      const address = filledPath(path, (parameter) => encodeURIComponent(query[parameter] ?? ""));
      const rest = new URLSearchParams(Object.entries(query).filter(([parameter]) => !inPath.has(parameter))).toString();
      const location = rest === "" ? address : `${address}?${rest}`;
      return { status: 302, body: `See ${location}\n`, type: "text/plain; charset=utf-8", headers: { location } };
    },
  });
