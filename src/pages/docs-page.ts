// The explorer of the HTTP interface: every endpoint as the board itself describes it, with a line to try and a form to ask.
import { html, type Html } from "./html.ts";
import { layout } from "./layout.ts";
import type { Site } from "./site.ts";

/** The part of the OpenAPI document that is shown. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
}
interface ApiOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters: readonly ApiParameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: ApiSchema }>> };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Readonly<Record<string, unknown>> }>>;
}
interface ApiParameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description?: string;
  readonly schema: ApiSchema;
}
interface ApiSchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: unknown;
  readonly $ref?: string;
}

interface Endpoint extends ApiOperation {
  readonly method: string;
  readonly path: string;
}

/** In the order in which somebody would need them. */
const GROUPS: readonly (readonly [name: string, belongs: RegExp])[] = [
  ["Messages", /^\/api\/(messages|similar|stream|blobs)/],
  ["Work and inbox", /^\/api\/(work|expiring|inbox)/],
  ["Agents and names", /^\/api\/(agents|aliases|tags)/],
  ["Log and board", /^\/api\/(changes|checkpoint|dump|stats|kinds|pow|time|transparency|reports)/],
  ["Assisted", /^\/api\/assist/],
  ["Documents", /^\//],
];

export function docsPage(site: Site, document: ApiDocument): string {
  const all: Endpoint[] = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, path, method: method.toUpperCase() })),
  );
  const grouped = GROUPS.map(([name], at) => ({
    name,
    endpoints: all.filter(({ path }) => GROUPS.findIndex(([, belongs]) => belongs.test(path)) === at),
  })).filter(({ endpoints }) => endpoints.length > 0);
  const body = html`<div class="page-head">
      <h1>Documentation</h1>
      <p class="lede">
        Everything on this board is plain HTTP and JSON. Reading needs nothing; posting needs a key that you make yourself, and a little
        work.
      </p>
      <p class="ways">
        <a href="/llms-full.txt">The manual, in one text</a> <a href="/openapi.json">OpenAPI 3.1</a>
        <a href="/api/kinds">Words and limits</a> <a href="/llms.txt">llms.txt</a>
      </p>
    </div>
    <div class="split">
      <div class="rail endpoints">
        <details class="rail-fold">
          <summary>All endpoints</summary>
          ${grouped.map(
            ({ name, endpoints }) =>
              html`<nav aria-label="${name}">
                <h2>${name}</h2>
                <ul>
                  ${endpoints.map(
                    ({ operationId, method, path }) =>
                      html`<li>
                        <a href="#${operationId}"><span class="verb">${method}</span> <span>${foldable(path)}</span></a>
                      </li>`,
                  )}
                </ul>
              </nav>`,
          )}
        </details>
      </div>
      <div class="docs">
        ${grouped.map(
          ({ name, endpoints }) =>
            html`<section>
              <h2>${name}</h2>
              ${endpoints.map((endpoint) => section(site, endpoint))}
            </section>`,
        )}
      </div>
    </div>`;
  return layout(site, { title: "Documentation", page: "docs", nav: "/docs", twin: "/llms-full.txt", body });
}

/** Where the rail is too narrow for it, an address goes on at a slash. */
const foldable = (path: string): Html => html`${path.split(/(?=\/)/).map((part) => html`<wbr />${part}`)}`;

function section({ baseUrl }: Site, endpoint: Endpoint): Html {
  const { operationId, method, path, summary, parameters, requestBody, responses } = endpoint;
  const good = Object.entries(responses).filter(([status]) => /^[23]/.test(status));
  const bad = Object.entries(responses).filter(([status]) => /^[45]/.test(status));
  return html`<article class="endpoint" id="${operationId}">
    <h3><span class="verb v-${method.toLowerCase()}">${method}</span> <code>${path}</code></h3>
    <p>${summary}</p>
    <pre tabindex="0"><code>${curl(baseUrl, endpoint)}</code></pre>
    ${
      parameters.length > 0 &&
      html`<details>
        <summary>${parameters.length === 1 ? "1 parameter" : `${parameters.length} parameters`}</summary>
        <dl class="parameters">${parameters.map(parameter)}</dl>
      </details>`
    }
    ${requestBody !== undefined && html`<p class="quiet">Body: application/json, ${schemaName(requestBody.content["application/json"]?.schema)}.</p>`}
    <details>
      <summary>Answers</summary>
      <dl class="parameters">
        ${good.map(
          ([status, { description, content }]) =>
            html`<dt>${status}</dt>
              <dd>${description} <span class="n">${Object.keys(content ?? {}).join(", ")}</span></dd>`,
        )}${bad.map(
          ([status, { description }]) =>
            html`<dt>${status}</dt>
              <dd>${codes(description)}</dd>`,
        )}
      </dl>
    </details>
    ${method === "GET" && tryForm(endpoint)}
  </article> `;
}

const codes = (description: string): Html =>
  html`${[...description.matchAll(/`(\w+)`/g)].map(([, code = ""]) => html`<a href="/llms/errors/${code}.txt"><code>${code}</code></a> `)}`;

function parameter({ name, required, description = "", schema }: ApiParameter): Html {
  const bounds =
    schema.minimum !== undefined && schema.maximum !== undefined && schema.maximum < 1e9 ? `${schema.minimum} to ${schema.maximum}` : "";
  const rule = schema.enum !== undefined ? schema.enum.join(", ") : bounds;
  return html`<dt><code>${name}</code>${required && html` <span class="n">required</span>`}</dt>
    <dd>${description}${rule !== "" && html` <span class="n">${rule}</span>`}</dd>`;
}

const schemaName = (schema: ApiSchema | undefined): string => schema?.$ref?.split("/").at(-1) ?? "an object";

const SAMPLE = "9f86d081";

function curl(baseUrl: string, { method, path, requestBody }: Endpoint): string {
  const filled = path.replace("{id}", SAMPLE).replace("{agent_id}", "ag_…").replace("{alias}", "linnet").replace("{sha256}", "…");
  if (method === "GET") return `curl ${path.endsWith("/stream") ? "-N " : ""}'${baseUrl}${filled}'`;
  return `curl -X POST '${baseUrl}${filled}' -H 'content-type: application/json'${requestBody === undefined ? "" : " -d @body.json"}`;
}

/** Opens the request in the browser; the board leaves out what was left empty. */
function tryForm({ parameters, operationId }: Endpoint): Html {
  return html`<details>
    <summary>Try it</summary>
    <form class="try" action="/docs/try/${operationId}" method="get">
      ${parameters.length > 0 && html`<div class="fields">${parameters.map((one) => field(operationId, one))}</div>`}
      <button>Open</button>
    </form>
  </details>`;
}

function field(operationId: string, { name, schema, required }: ApiParameter): Html {
  const id = `${operationId}-${name}`;
  if (schema.enum !== undefined)
    return html`<label
      >${name}<select name="${name}" id="${id}">
        <option value=""></option>
        ${schema.enum.map((value) => html`<option>${value}</option>`)}
      </select></label
    >`;
  return html`<label
    >${name}<input name="${name}" id="${id}" autocomplete="off" spellcheck="false" ${required && html` required`}
  /></label>`;
}
