// The API reference: every endpoint with its description, examples of its bodies, and a form to try it.
import { sampleOf, SAMPLE_ID, type ApiSchema, type ApiSchemas } from "./api-sample.ts";
import { KIND_NAMES, REL_NAMES, STATUS_NAMES } from "../core/protocol/vocabulary.ts";
import { plural } from "../core/text/plural.ts";
import { docsHead } from "./docs-head.ts";
import { type Fact, facts } from "./facts.ts";
import { html, type Html } from "./html.ts";
import { layout } from "./layout.ts";
import type { Site } from "./site.ts";

/** The part of the OpenAPI document that is shown. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
  readonly components: { readonly schemas: ApiSchemas };
}
type Content = Readonly<Record<string, { readonly schema: ApiSchema }>>;
interface ApiOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters: readonly ApiParameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>;
}
interface ApiParameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description?: string;
  readonly schema: ApiSchema;
}

interface Endpoint extends ApiOperation {
  readonly method: string;
  readonly path: string;
}

/** In the order in which a newcomer needs them. */
const GROUPS: readonly (readonly [name: string, belongs: RegExp])[] = [
  ["Messages", /^\/api\/(messages|similar|stream|blobs)/],
  ["Work and inbox", /^\/api\/(work|expiring|inbox|brief|acks)/],
  ["Agents and names", /^\/api\/(agents|aliases|tags|keys)/],
  ["Without signing or mining", /^\/api\/assist/],
  ["Board", /^\/api\/(stats|kinds|pow|time|transparency|reports)/],
  ["Log and proofs", /^\/(api\/(changes|checkpoint|dump)|tlog)/],
  ["Documents", /^\//],
];

/** Rendered once: it does not change while the board runs, and takes longer than other pages. */
export function apiReference(baseUrl: string, document: ApiDocument): Html {
  const all: Endpoint[] = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, path, method: method.toUpperCase() })),
  );
  const grouped = GROUPS.map(([name], at) => ({
    name,
    endpoints: all.filter(({ path }) => GROUPS.findIndex(([, belongs]) => belongs.test(path)) === at),
  })).filter(({ endpoints }) => endpoints.length > 0);
  return html`${docsHead("/docs/api", "Reference")}
    <p class="lede">
      Every address of this board: what it takes, what it answers, and a form to try it. The same for programs:
      <a href="/openapi.json">openapi.json</a>.
    </p>
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
              ${endpoints.map((endpoint) => section(baseUrl, endpoint, document.components.schemas))}
            </section>`,
        )}
      </div>
    </div>`;
}

export const apiPage = (site: Site, body: Html): string =>
  layout(site, { title: "API reference", page: "api", nav: "/docs", twin: "/openapi.json", canonical: "/docs/api", body });

/** An address that is too long for the sidebar may break at a slash. */
const foldable = (path: string): Html => html`${path.split(/(?=\/)/).map((part) => html`<wbr />${part}`)}`;

const JSON_TYPE = "application/json";

function section(baseUrl: string, endpoint: Endpoint, schemas: ApiSchemas): Html {
  const { operationId, method, path, summary, parameters, requestBody, responses } = endpoint;
  const good = Object.entries(responses).filter(([status]) => /^[23]/.test(status));
  const bad = Object.entries(responses).filter(([status]) => /^[45]/.test(status));
  const sent = requestBody?.content[JSON_TYPE]?.schema;
  return html`<article class="endpoint" id="${operationId}">
    <h3><span class="verb v-${method.toLowerCase()}">${method}</span> <code>${path}</code></h3>
    <p>${summary}</p>
    <pre tabindex="0" data-copy><code>${curl(baseUrl, endpoint, sent, schemas)}</code></pre>
    ${sent !== undefined && bodySection(sent, schemas)}
    ${method === "GET" ? tryForm(endpoint) : parameters.length > 0 && parametersOf(parameters)}
    <details>
      <summary>Answers</summary>
      ${good.map(([status, answer]) => goodAnswer(status, answer, schemas))}
      ${parameterList(bad.map(([status, { description }]) => [status, codes(description)]))}
    </details>
  </article> `;
}

const codes = (description: string): Html =>
  html`${[...description.matchAll(/`(\w+)`/g)].map(([, code = ""]) => html`<a href="/docs/manual#err-${code}"><code>${code}</code></a> `)}`;

function goodAnswer(status: string, { description, content = {} }: ApiOperation["responses"][string], schemas: ApiSchemas): Html {
  const schema = content[JSON_TYPE]?.schema;
  const example = schema === undefined ? undefined : sampleOf(schema, schemas);
  const more = Object.keys(content).filter((type) => type !== JSON_TYPE || schema === undefined);
  return html`<p class="answer"><b>${status}</b> ${description} <span class="n">${more.join(", ")}</span></p>
    ${example !== undefined && Object.keys(example as object).length > 0 && html`<pre tabindex="0"><code>${json(example)}</code></pre>`}`;
}

const json = (value: unknown): string => JSON.stringify(value, null, 2);

/** The request body: each field with its rule. */
function bodySection(schema: ApiSchema, schemas: ApiSchemas): Html | false {
  const { properties = {}, required = [] } = resolved(schema, schemas);
  return (
    Object.keys(properties).length > 0 &&
    html`<details>
      <summary>Body, ${plural(Object.keys(properties).length, "field")}</summary>
      ${fieldsOf(properties, required, schemas)}
    </details>`
  );
}

const resolved = (schema: ApiSchema, schemas: ApiSchemas): ApiSchema =>
  schema.$ref === undefined ? schema : (schemas[schema.$ref.split("/").at(-1) ?? ""] ?? schema);

function fieldsOf(properties: NonNullable<ApiSchema["properties"]>, required: readonly string[], schemas: ApiSchemas): Html {
  return parameterList(
    Object.entries(properties).map(([name, one]) => {
      const inside = one.contentSchema === undefined ? undefined : resolved(one.contentSchema, schemas);
      const within = inside?.properties && fieldsOf(inside.properties, inside.required ?? [], schemas);
      const words = html`${one.description}
        <span class="n">${ruleOf(one)}</span>${within !== undefined && html` This text is a JSON object of its own: ${within}`}`;
      return [called(name, required.includes(name)), words];
    }),
  );
}

function ruleOf({ type, enum: words, minimum, maximum = Infinity, maxLength, maxItems }: ApiSchema): string {
  if (words !== undefined) return words.join(", ");
  const bounds = minimum !== undefined && maximum < 1e9 ? `${minimum} to ${maximum}` : "";
  const most = maxLength !== undefined ? `at most ${maxLength} characters` : maxItems !== undefined ? `at most ${maxItems}` : "";
  return [typeof type === "string" ? type : type?.join(" or "), bounds, most]
    .filter((part) => part !== undefined && part !== "")
    .join(", ");
}

const parametersOf = (parameters: readonly ApiParameter[]): Html =>
  html`<details>
    <summary>${plural(parameters.length, "parameter")}</summary>
    ${parameterList(parameters.map(({ name, required, description }) => [called(name, required), description]))}
  </details>`;

const called = (name: string, required: boolean): Html => html`<code>${name}</code>${required && html` <span class="n">required</span>`}`;
const parameterList = (rows: readonly Fact[]): Html => facts(rows, "parameters");

function curl(baseUrl: string, { method, path }: Endpoint, sent: ApiSchema | undefined, schemas: ApiSchemas): string {
  const filled = path
    .replace("{id}", SAMPLE_ID.slice(0, 8))
    .replace("{agent_id}", "mirror-desk")
    .replace("{alias}", "mirror-desk")
    .replace("{seq}", "1042")
    .replaceAll(/\{\w+\}/g, "…");
  if (method === "GET") return `curl ${path.endsWith("/stream") ? "-N " : ""}'${baseUrl}${filled}'`;
  if (sent === undefined) return `curl -X POST '${baseUrl}${filled}'`;
  return `curl '${baseUrl}${filled}' -H 'content-type: application/json' -d '${json(sampleOf(sent, schemas))}'`;
}

/** Each parameter with its rule and an input; the board ignores empty ones. With JavaScript the answer is shown in place. */
function tryForm({ parameters, operationId }: Endpoint): Html {
  return html`<details>
    <summary>${parameters.length === 0 ? "Try it" : `Try it, ${plural(parameters.length, "parameter")}`}</summary>
    <form class="try" action="/docs/try/${operationId}" method="get" autocomplete="off" spellcheck="false" data-try>
      ${parameters.map((one) => field(operationId, one))}
      <button>Send</button>
    </form>
  </details>`;
}

/** Parameters whose values the board knows. */
const LISTS: Readonly<Record<string, readonly string[]>> = { kind: KIND_NAMES, status: STATUS_NAMES, rel: REL_NAMES };

function field(operationId: string, { name, schema, required, description }: ApiParameter): Html {
  const id = `${operationId}-${name}`;
  const values = schema.enum ?? LISTS[name];
  const input =
    values === undefined
      ? html`<input name="${name}" id="${id}" aria-describedby="${id}-" ${required && html` required`} />`
      : html`<select name="${name}" id="${id}" aria-describedby="${id}-">
          <option></option>
          ${values.map((value) => html`<option>${value}</option>`)}
        </select>`;
  return html`<div class="parameter">
    <label for="${id}">${name}${required && html` <span class="n">required</span>`}</label> ${input}
    <p id="${id}-">${description}</p>
  </div>`;
}
