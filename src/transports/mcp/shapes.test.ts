// Outlines of schemas: short, and never stricter than what they were made from.
import { expect, test } from "vitest";
import { type OpenApiDocument, schemasOf } from "./openapi-schemas.ts";

const document: OpenApiDocument = {
  paths: {
    "/things/{id}": {
      get: {
        operationId: "get_thing",
        parameters: [
          { name: "id", in: "path", schema: { type: "string", pattern: "^x$" } },
          { name: "sort", in: "query", schema: { type: "string", enum: ["a", "b"] } },
          { name: "raw", in: "query", schema: { type: "string", enum: ["true", "false", "1", "0"] } },
          { name: "tags", in: "query", schema: { type: "string", format: "comma-list" } },
          { name: "limit", in: "query", schema: { type: "integer", minimum: 1 } },
        ],
      },
    },
  },
  components: {
    schemas: {
      Thing: {
        type: "object",
        properties: {
          id: { type: "string", pattern: "^x$", description: "Long words." },
          next: { anyOf: [{ type: "string" }, { type: "null" }] },
          parts: { type: "array", items: { $ref: "#/components/schemas/Part" } },
          inner: { type: "object", properties: { deep: { type: "string" } }, required: ["deep"] },
        },
        required: ["id", "next"],
        additionalProperties: false,
      },
      Part: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
    },
  },
};
const shapes = schemasOf(document);

test("a named schema keeps types, choices and what must be there, and loses the rest", () => {
  expect(shapes.named("Thing")).toEqual({
    type: "object",
    properties: {
      id: { type: "string" },
      next: { type: ["string", "null"] },
      parts: { type: "array", items: { type: "object" } },
      inner: { type: "object" },
    },
    required: ["id", "next"],
  });
});

test("an operation's parameters are described in short", () => {
  const { method, path, parameters } = shapes.operation("get_thing");
  expect([method, path]).toEqual(["GET", "/things/{id}"]);
  expect(parameters).toEqual({
    id: { type: "string" },
    sort: { type: "string", enum: ["a", "b"] },
    raw: { type: "boolean" },
    tags: { type: ["string", "array"], items: {} },
    limit: { type: "integer" },
  });
});

test("an operation that the board does not have is a mistake that shows at the start", () => {
  expect(() => shapes.operation("nothing")).toThrow("nothing");
});
